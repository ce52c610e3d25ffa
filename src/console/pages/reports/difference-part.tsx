import { useMutation } from '@tanstack/react-query';
import { Button } from '../../base/button.tsx';
import { eventText, whyText } from '../../base/event-text.ts';
import { Failure } from '../../base/failure.tsx';
import { Table } from '../../base/table.tsx';
import { t } from '../../texts/i18n.ts';
import { csvLines } from './csv-lines.ts';
import { fileReader, type ReportFolder } from './report-queries.ts';

const fileName = 'difference.csv';
/** A table of more lines is read in the file itself. */
const linesMax = 200;

/** What differs in a version of the reports from the version before; nothing where the file has no such comparison. */
export function DifferencePart({ batchId, folder }: { batchId: string; folder: ReportFolder }) {
  const read = useMutation({
    mutationFn: async () => {
      const bytes = await fileReader(batchId, folder)(fileName);
      // The first line names the columns.
      return csvLines(new TextDecoder().decode(bytes ?? new Uint8Array()), linesMax + 2).slice(1);
    },
  });
  if (!folder.files.some(({ name }) => name === fileName)) return null;
  const { data, error, isPending, mutate } = read;
  return (
    <div className="stack tight">
      <div className="line">
        <Button isBusy={isPending} onClick={() => mutate()}>
          {t('reports.difference')}
        </Button>
      </div>
      {error !== null && <Failure error={error} onRetry={() => mutate()} />}
      {data !== undefined && <Difference lines={data} />}
    </div>
  );
}

function Difference({ lines }: { lines: readonly string[][] }) {
  if (lines.length === 0) return <p className="small quiet">{t('reports.difference_none')}</p>;
  const rows = lines
    .slice(0, linesMax)
    .map(([row = '', , , column = '', before = '', after = ''], index) => ({ index, row, column, before, after }));
  return (
    <>
      {lines.length > linesMax && <p className="small quiet">{t('reports.difference_cut', { file: fileName })}</p>}
      <Table
        caption={t('reports.difference')}
        rows={rows}
        keyOf={({ index }) => index}
        stacks
        columns={[
          { id: 'row', label: t('rows.row'), isHead: true, cell: ({ row }) => row },
          { id: 'column', label: t('draft.column'), cell: ({ column }) => eventText(column) },
          { id: 'before', label: t('draft.before'), cell: ({ before }) => <del>{before}</del> },
          { id: 'after', label: t('draft.after'), cell: ({ column, after }) => <ins>{shownAfter(column, after)}</ins> },
        ]}
      />
    </>
  );
}

/** A cell as it is now; or, where the row has stayed as it ended, what the service says of it since. */
function shownAfter(column: string, after: string): string {
  return (column.startsWith('row.') ? whyText(after) : null) ?? after;
}
