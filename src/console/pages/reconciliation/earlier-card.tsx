import { Link } from 'wouter';
import { Loaded } from '../../base/failure.tsx';
import { MoreRows } from '../../base/more-rows.tsx';
import { Card, Empty } from '../../base/page.tsx';
import { Badge } from '../../base/state-badge.tsx';
import { Table } from '../../base/table.tsx';
import { Count, Time } from '../../base/values.tsx';
import { t } from '../../texts/i18n.ts';
import { type Reconciliation, reconciliationPath, useReconciliations } from './reconciliation-queries.ts';

/** The reconciliations that were made: what people noted is found again, and what a job has compared at night. */
export function EarlierCard() {
  const query = useReconciliations();
  return (
    <Card isFlush title={t('reconciliation.earlier')}>
      <p className="card-note">{t('reconciliation.earlier_help')}</p>
      <Loaded query={query}>
        {({ pages }) => <Earlier made={pages.flatMap(({ reconciliations }) => reconciliations)} />}
      </Loaded>
      <MoreRows query={query} label={t('reconciliation.more')} isInCard />
    </Card>
  );
}

function Earlier({ made }: { made: readonly Reconciliation[] }) {
  return (
    <Table
      caption={t('reconciliation.earlier')}
      rows={made}
      keyOf={({ reconciliation_id }) => reconciliation_id}
      stacks
      empty={
        <Empty title={t('reconciliation.none_yet')}>
          <p>{t('reconciliation.none_yet_help')}</p>
        </Empty>
      }
      columns={[
        {
          ...{ id: 'made', label: t('reconciliation.made'), isHead: true },
          cell: ({ reconciliation_id, finished_at }) => (
            <Link href={reconciliationPath(reconciliation_id)}>
              <Time at={finished_at} />
            </Link>
          ),
        },
        { id: 'account', label: t('batches.column.account'), cell: ({ account }) => account },
        {
          ...{ id: 'period', label: t('reconciliation.period') },
          cell: ({ from, to }) => (
            <>
              <Time at={from} /> – <Time at={to} />
            </>
          ),
        },
        {
          ...{ id: 'state', label: t('jobs.result') },
          cell: ({ is_settled }) => (
            <div>
              <Badge tone={is_settled ? 'good' : 'attention'}>
                {t(is_settled ? 'reconciliation.settled' : 'reconciliation.open')}
              </Badge>
            </div>
          ),
        },
        {
          ...{ id: 'open', label: t('reconciliation.open_lines'), isNumber: true },
          cell: ({ open }) => <Count of={open} />,
        },
      ]}
    />
  );
}
