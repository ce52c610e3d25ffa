import { useParams } from 'wouter';
import { change } from '../../api/client.ts';
import { useMayReadWhole } from '../../api/session.ts';
import { Button, ButtonLink } from '../../base/button.tsx';
import { Failure, Loaded } from '../../base/failure.tsx';
import { Card, EmptyCard, Page } from '../../base/page.tsx';
import { Badge } from '../../base/state-badge.tsx';
import { batchPath, Time } from '../../base/values.tsx';
import { useChange } from '../../forms/use-change.ts';
import { formatBytes } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import { useBatch } from '../batch/batch-queries.ts';
import { DifferencePart } from './difference-part.tsx';
import { PackCard } from './pack-card.tsx';
import { fileUrl, type ReportFolder, useReportFolders } from './report-queries.ts';
import { VerifyPart } from './verify-part.tsx';
import '../../styles/file-list.css';

/** The reports of one batch: their files, their versions, and the proof that they are whole. */
export function ReportPage() {
  const { id = '' } = useParams();
  const batchId = decodeURIComponent(id);
  const batch = useBatch(batchId).data;
  const query = useReportFolders(batchId);
  const mayReadWhole = useMayReadWhole();
  return (
    <Page
      title={t('reports.title', { run: batch?.run_id ?? batchId })}
      sub={batch?.file_name}
      actions={<WriteButtons batchId={batchId} mayReadWhole={mayReadWhole} />}
    >
      <PackCard batchId={batchId} mayReadWhole={mayReadWhole} />
      <Loaded query={query}>
        {({ folders }) => {
          const shown = folders.filter(({ is_masked }) => is_masked || mayReadWhole);
          return shown.length === 0 ? (
            <EmptyCard title={t('reports.no_files')}>
              <p>{t('reports.no_files_help')}</p>
            </EmptyCard>
          ) : (
            shown.map((folder, index) => (
              <FolderCard key={folder.dir} batchId={batchId} folder={folder} isCurrent={index === 0} />
            ))
          );
        }}
      </Loaded>
    </Page>
  );
}

function WriteButtons({ batchId, mayReadWhole }: { batchId: string; mayReadWhole: boolean }) {
  const action = useChange(
    (mask: boolean) => change('/api/v1/batches/{batch_id}/reports', { path: { batch_id: batchId }, body: { mask } }),
    { reads: [['reports', batchId]], done: ({ is_new }) => t(is_new ? 'reports.written' : 'reports.unchanged') },
  );
  return (
    <>
      <ButtonLink href={batchPath(batchId)}>{t('approval.back')}</ButtonLink>
      {mayReadWhole && (
        <Button isBusy={action.isPending} onClick={() => action.mutate(false)}>
          {t('reports.write')}
        </Button>
      )}
      <Button isBusy={action.isPending} onClick={() => action.mutate(true)}>
        {t('reports.write_masked')}
      </Button>
      {action.error !== null && <Failure error={action.error} />}
    </>
  );
}

function FolderCard({ batchId, folder, isCurrent }: { batchId: string; folder: ReportFolder; isCurrent: boolean }) {
  const { version, as_of, is_masked, files } = folder;
  return (
    <Card
      title={
        <span className="line">
          {version === null ? t('reports.unfinished') : t('reports.version', { version })}
          {isCurrent && <Badge tone="good">{t('reports.current')}</Badge>}
          {is_masked && <Badge tone="neutral">{t('reports.masked')}</Badge>}
        </span>
      }
      actions={
        as_of !== null && (
          <span className="small quiet">
            {t('reports.as_of')} <Time at={as_of} />
          </span>
        )
      }
    >
      <div className="stack">
        <ul className="file-list">
          {files.map(({ name, bytes }) => (
            <li key={name}>
              <a href={fileUrl(batchId, folder, name)} download={name}>
                {name}
              </a>
              <span className="small quiet numbers">{formatBytes(bytes)}</span>
            </li>
          ))}
        </ul>
        <DifferencePart batchId={batchId} folder={folder} />
        <VerifyPart batchId={batchId} folder={folder} />
      </div>
    </Card>
  );
}
