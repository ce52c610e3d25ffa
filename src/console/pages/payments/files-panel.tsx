import { type Answer, get } from '../../api/client.ts';
import { Card, Figures } from '../../base/page.tsx';
import { BatchBadge } from '../../base/state-badge.tsx';
import { Table } from '../../base/table.tsx';
import { BatchLink, Count, Sums, Time } from '../../base/values.tsx';
import { FormWithResult } from '../../forms/form-with-result.tsx';
import { NothingThen, PeriodFields, periodZone, usePeriod } from '../../forms/period.tsx';
import { formatCount } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';

type Paid = Answer<'/api/v1/paid-files'>;

const daysShown = 31;

/** The files whose rows were paid in a period. */
export function FilesPanel() {
  const period = usePeriod(daysShown);
  return (
    <FormWithResult
      entered={period.times}
      request={(times) => get('/api/v1/paid-files', { query: times })}
      submitText={t('payments.list')}
      note={periodZone()}
      result={(paid) => <Files paid={paid} />}
    >
      <PeriodFields period={period} />
    </FormWithResult>
  );
}

function Files({ paid: { files, rows, paid, charged, refunded_rows } }: { paid: Paid }) {
  if (files.length === 0) return <NothingThen title={t('payments.no_files')} />;
  const products = files.reduce((sum, file) => sum + file.products, 0);
  return (
    <>
      <Figures
        figures={[
          { name: t('payments.rows_paid'), value: formatCount(rows) },
          { name: t('payments.paid'), value: <Sums sums={paid} products={products} /> },
          { name: t('batches.column.charged'), value: <Sums sums={charged} /> },
          ...(refunded_rows === 0
            ? []
            : [
                {
                  ...{ name: t('payments.refunded'), value: formatCount(refunded_rows) },
                  more: t('payments.refunded_help'),
                },
              ]),
        ]}
      />
      <Card isFlush>
        <Table
          caption={t('payments.tab.files')}
          rows={files}
          keyOf={({ batch_id }) => batch_id}
          stacks
          columns={[
            {
              ...{ id: 'batch', label: t('batches.column.batch'), isHead: true },
              cell: ({ batch_id, run_id, file_name }) => (
                <>
                  <BatchLink id={batch_id} run={run_id} />
                  <div className="quiet small name-cell">{file_name}</div>
                </>
              ),
            },
            { id: 'state', label: t('base.state'), cell: (file) => <BatchBadge batch={file} /> },
            { id: 'account', label: t('batches.column.account'), cell: ({ account }) => account },
            { id: 'rows', label: t('payments.rows_paid'), isNumber: true, cell: (file) => <Count of={file.rows} /> },
            {
              ...{ id: 'paid', label: t('payments.paid'), isNumber: true },
              cell: (file) => <Sums sums={file.paid} products={file.products} />,
            },
            {
              id: 'charged',
              label: t('batches.column.charged'),
              isNumber: true,
              cell: (file) => <Sums sums={file.charged} />,
            },
            ...(refunded_rows === 0
              ? []
              : [
                  {
                    ...{ id: 'refunded', label: t('payments.refunded'), isNumber: true },
                    cell: (file: Paid['files'][number]) => <Count of={file.refunded_rows} />,
                  },
                ]),
            { id: 'last', label: t('payments.last'), cell: ({ last_paid_at }) => <Time at={last_paid_at} /> },
          ]}
        />
      </Card>
    </>
  );
}
