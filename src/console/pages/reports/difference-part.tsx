import { useMutation } from '@tanstack/react-query';
import { type Answer, get } from '../../api/client.ts';
import { Button } from '../../base/button.tsx';
import { eventText, memberName, whyText } from '../../base/event-text.ts';
import { Failure } from '../../base/failure.tsx';
import { Table } from '../../base/table.tsx';
import { formatAmount, formatTime } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import { named, sumText } from '../../texts/reason-text.ts';
import type { ReportFolder } from './report-queries.ts';

const fileName = 'difference.csv';

type Difference = Answer<'/api/v1/batches/{batch_id}/difference'>;
type Line = NonNullable<Difference['lines']>[number];

/** What differs in a version of the reports from the version before; nothing where the file has no such comparison. */
export function DifferencePart({
  batchId,
  folder: { version, is_masked, files },
}: {
  batchId: string;
  folder: ReportFolder;
}) {
  const read = useMutation({
    mutationFn: () => {
      const path = { batch_id: batchId };
      const query = { version: version ?? 1, masked: is_masked };
      return get('/api/v1/batches/{batch_id}/difference', { path, query });
    },
  });
  if (!files.some(({ name }) => name === fileName)) return null;
  const { data, error, isPending, mutate } = read;
  return (
    <div className="stack tight">
      <div className="line">
        <Button isBusy={isPending} onClick={() => mutate()}>
          {t('reports.difference')}
        </Button>
      </div>
      {error !== null && <Failure error={error} onRetry={() => mutate()} />}
      {data !== undefined && <Lines lines={data.lines ?? []} isCut={data.is_cut} />}
    </div>
  );
}

function Lines({ lines, isCut }: { lines: readonly Line[]; isCut: boolean }) {
  if (lines.length === 0) return <p className="small quiet">{t('reports.difference_none')}</p>;
  return (
    <>
      {isCut && <p className="small quiet">{t('reports.difference_cut', { file: fileName })}</p>}
      <Table
        caption={t('reports.difference')}
        rows={lines.map((line, index) => ({ ...line, index }))}
        keyOf={({ index }) => index}
        stacks
        columns={[
          { id: 'row', label: t('rows.row'), isHead: true, cell: ({ row }) => row },
          { id: 'column', label: t('draft.column'), cell: ({ column }) => columnName(column) },
          { id: 'before', label: t('draft.before'), cell: ({ column, before }) => <del>{shown(column, before)}</del> },
          { id: 'after', label: t('draft.after'), cell: (line) => <ins>{shownAfter(line)}</ins> },
        ]}
      />
    </>
  );
}

function columnName(column: string): string {
  return column.startsWith('row.') ? eventText(column) : memberName(column);
}

/** The present text of a cell; or, if the row itself has not changed, what the service has reported about it since. */
function shownAfter({ column, after, after_reason }: Line): string {
  return whyText(after_reason) ?? shown(column, after);
}

/** Their currencies stand in cells of their own. */
const amounts = ['amount', 'cost', 'refund_amount'];

function shown(column: string, value: string): string {
  if (value === '') return '';
  if (column === 'status') return named('state.row', value);
  if (amounts.includes(column)) return formatAmount(value, '');
  if (column === 'row.refund') return sumText(value);
  return column.endsWith('_at') ? formatTime(value) : value;
}
