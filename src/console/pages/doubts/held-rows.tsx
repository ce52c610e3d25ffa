import { useState } from 'react';
import { get } from '../../api/client.ts';
import { usePages } from '../../api/query-client.ts';
import { Button } from '../../base/button.tsx';
import { Loaded } from '../../base/failure.tsx';
import { MoreRows } from '../../base/more-rows.tsx';
import { Card } from '../../base/page.tsx';
import { Table } from '../../base/table.tsx';
import { None } from '../../base/values.tsx';
import { formatCount } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import { rowReason } from '../../texts/problem-text.ts';
import type { Row } from '../batch/batch-queries.ts';
import { RowDialog } from '../batch/row-dialog.tsx';
import { Asked } from '../batch/row-values.tsx';

const pageRows = 50;

/** The held rows of a batch for somebody who does not decide about them: with masked numbers. */
export function HeldRowsOf({ batchId, run }: { batchId: string; run: string }) {
  const [opened, setOpened] = useState<Row | null>(null);
  const query = usePages(['batch', batchId, 'held-rows'], 0, (after) => {
    const query = { after, limit: pageRows, status: ['held' as const] };
    return get('/api/v1/batches/{batch_id}/rows', { path: { batch_id: batchId }, query });
  });
  return (
    <Card isFlush>
      <Loaded query={query}>
        {({ pages }) => (
          <Table
            caption={`${run}, ${t('doubts.tab.held')}`}
            rows={pages.flatMap(({ rows }) => rows)}
            keyOf={({ row_no }) => row_no}
            stacks
            columns={[
              {
                ...{ id: 'row', label: t('rows.row'), isHead: true },
                cell: (row) => (
                  <Button look="link" onClick={() => setOpened(row)}>
                    {t('rows.one', { row: formatCount(row.row_no) })}
                  </Button>
                ),
              },
              {
                ...{ id: 'person', label: t('rows.person') },
                cell: ({ person, phone_number }) => person ?? phone_number ?? <None />,
              },
              { id: 'amount', label: t('rows.amount'), isNumber: true, cell: (row) => <Asked row={row} /> },
              {
                ...{ id: 'why', label: t('base.reason') },
                cell: (row) => <span className="wrap">{rowReason(row)}</span>,
              },
            ]}
          />
        )}
      </Loaded>
      <MoreRows query={query} label={t('doubts.more')} isInCard />
      {opened !== null && <RowDialog batchId={batchId} row={opened} onClose={() => setOpened(null)} />}
    </Card>
  );
}
