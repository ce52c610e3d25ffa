import { useMutation, useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { get } from '../../api/client.ts';
import { useRole } from '../../api/session.ts';
import { Button, ButtonLink } from '../../base/button.tsx';
import { Failure } from '../../base/failure.tsx';
import { endedUnapproved } from '../../base/state-badge.tsx';
import { batchPath, draftPath } from '../../base/values.tsx';
import { t } from '../../texts/i18n.ts';
import { draftOfServerFile, type FileOptions } from '../upload/upload-queries.ts';
import type { BatchStatus } from './batch-queries.ts';

/**
 * Leads on from a rejected or withdrawn batch, or from one with rows that are not paid: to a draft in which they are
 * corrected.
 */
export function CorrectionPart({ batch }: { batch: BatchStatus }) {
  const mayPrepare = useRole('prepare');
  const [, go] = useLocation();
  const { run_id, account, draft_id: draftId } = batch;
  const file = fileToCorrect(batch);
  const isWhole = endedUnapproved(batch) !== null;
  const making = useMutation({
    mutationFn: async (named: { path: string; name: string }) =>
      draftOfServerFile(named, { account, options: draftId === null ? {} : await optionsOf(draftId) }),
    // Within the run of the batch, no row is paid twice.
    onSuccess: ({ draft_id }) => go(`${draftPath(draft_id)}?run=${encodeURIComponent(run_id)}`),
  });
  if (!mayPrepare) return null;
  if (file === null)
    return isWhole ? (
      <div>
        <ButtonLink href={`/new?run=${encodeURIComponent(run_id)}`}>{t('nav.new')}</ButtonLink>
      </div>
    ) : null;
  return (
    <>
      <div className="line">
        <Button look="main-action" isBusy={making.isPending} onClick={() => making.mutate(file)}>
          {t(isWhole ? 'draft.again' : 'draft.correct_unpaid')}
        </Button>
        <a href={file.path} download={file.name}>
          {file.name}
        </a>
        {!isWhole && <WorkbookLink batch={batch} />}
      </div>
      {making.error !== null && <Failure error={making.error} />}
    </>
  );
}

/** The same rows as a workbook, for a person who corrects them there. Reports of earlier versions have none. */
function WorkbookLink({ batch: { batch_id, run_id } }: { batch: BatchStatus }) {
  const path = { batch_id };
  const reports = useQuery({
    queryKey: ['reports', batch_id],
    queryFn: () => get('/api/v1/batches/{batch_id}/report-files', { path }),
  }).data;
  const current = reports?.folders.find(({ is_masked }) => !is_masked);
  if (!current?.files.some(({ name }) => name === 'failed.xlsx')) return null;
  const name = `${run_id}-failed.xlsx`;
  return (
    <a href={failedFile(batch_id, 'failed.xlsx')} download={name}>
      {name}
    </a>
  );
}

function failedFile(batchId: string, name: 'failed.csv' | 'failed.xlsx'): string {
  return `/api/v1${batchPath(batchId)}/report-files/${name}?masked=false`;
}

/**
 * The options with which the draft of the batch was read, so that its rows are read in the same way again. Those about
 * the sheet, the header line, the number of rows and the sum are left out: failed.csv has one table, and only some
 * rows.
 */
async function optionsOf(draftId: string): Promise<FileOptions> {
  const path = { draft_id: draftId };
  const { options } = await get('/api/v1/drafts/{draft_id}', { path });
  const { sheet: _, header_line: __, expect_rows: ___, expect_sum: ____, ...kept } = options;
  return kept;
}

/** The file with the rows to correct; null if nothing is to be corrected, or if the file is not kept. */
function fileToCorrect(batch: BatchStatus): { path: string; name: string } | null {
  const { batch_id, run_id, file_name, draft_id, situation } = batch;
  if (endedUnapproved(batch) !== null)
    return draft_id === null
      ? null
      : { path: `/api/v1/drafts/${encodeURIComponent(draft_id)}/file/mended`, name: csvName(file_name) };
  if (![situation.next, ...situation.meanwhile].some((need) => need?.what === 'correct')) return null;
  return { path: failedFile(batch_id, 'failed.csv'), name: `${run_id}-failed.csv` };
}

/** The corrected file of a draft is a CSV file, whatever its original was. */
function csvName(name: string): string {
  return name.replace(/(\.(csv|tsv|txt|xlsx))?(\.gz)?$/i, '.csv');
}
