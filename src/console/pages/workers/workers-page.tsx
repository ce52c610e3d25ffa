import { useQuery } from '@tanstack/react-query';
import { get } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { Loaded } from '../../base/failure.tsx';
import { Card, Page } from '../../base/page.tsx';
import { Badge } from '../../base/state-badge.tsx';
import { Table } from '../../base/table.tsx';
import { Count, Time } from '../../base/values.tsx';
import { t } from '../../texts/i18n.ts';

/** Which process works for which accounts, on all machines of the ledger. */
export function WorkersPage() {
  const query = useQuery({
    queryKey: ['workers'],
    queryFn: () => get('/api/v1/workers'),
    refetchInterval: refresh(),
  });
  return (
    <Page title={t('workers.title')} sub={t('workers.sub')}>
      <Loaded query={query}>
        {({ workers }) =>
          workers.map(({ worker, accounts }) => (
            <Card
              key={worker}
              isFlush
              title={
                <span className="line">
                  <span className="wrap">{nameOf(worker)}</span>
                  {accounts.length === 0 && <Badge tone="neutral">{t('workers.idle')}</Badge>}
                </span>
              }
            >
              {accounts.length === 0 ? null : (
                <Table
                  caption={nameOf(worker)}
                  rows={accounts}
                  keyOf={({ account }) => account}
                  stacks
                  columns={[
                    { id: 'account', label: t('batches.column.account'), isHead: true, cell: ({ account }) => account },
                    { id: 'since', label: t('base.since'), cell: ({ since }) => <Time at={since} /> },
                    {
                      ...{ id: 'ready', label: t('workers.ready'), isNumber: true },
                      cell: ({ rows_ready }) => <Count of={rows_ready} />,
                    },
                    {
                      ...{ id: 'flight', label: t('workers.in_flight'), isNumber: true },
                      cell: ({ rows_in_flight }) => <Count of={rows_in_flight} />,
                    },
                    {
                      ...{ id: 'doubt', label: t('doubts.tab.doubts'), isNumber: true },
                      cell: ({ rows_in_doubt }) => <Count of={rows_in_doubt} />,
                    },
                    {
                      ...{ id: 'oldest', label: t('workers.oldest') },
                      cell: ({ oldest_accepted_at }) => <Time at={oldest_accepted_at} />,
                    },
                  ]}
                />
              )}
            </Card>
          ))
        }
      </Loaded>
    </Page>
  );
}

/** People do not need the start time of a process. */
function nameOf(worker: string | null): string {
  return worker === null ? t('workers.nobody') : worker.split('/').slice(0, 2).join('/');
}
