import { Link } from 'wouter';
import { get } from '../../api/client.ts';
import { usePages } from '../../api/query-client.ts';
import { ButtonLink } from '../../base/button.tsx';
import { Loaded } from '../../base/failure.tsx';
import { MoreRows } from '../../base/more-rows.tsx';
import { Card, Empty, Page } from '../../base/page.tsx';
import { BatchBadge } from '../../base/state-badge.tsx';
import { Table } from '../../base/table.tsx';
import { Time } from '../../base/values.tsx';
import { t } from '../../texts/i18n.ts';
import { chargedColumn, progressColumn } from '../batches/batch-columns.tsx';
import type { Batch } from '../batches/batch-filter.ts';

const pageRows = 50;
const ended = ['completed', 'cancelled', 'rejected'] as const;

/** The batches that have ended: each has reports. */
export function ReportsPage() {
  const query = usePages(['batches', 'reports'], null as string | null, (before) =>
    get('/api/v1/batches', { query: { status: [...ended], limit: pageRows, before } }),
  );
  return (
    <Page title={t('nav.reports')} sub={t('reports.sub')}>
      <Loaded query={query}>{({ pages }) => <Reports batches={pages.flatMap(({ batches }) => batches)} />}</Loaded>
      <MoreRows query={query} label={t('batches.more')} />
    </Page>
  );
}

function Reports({ batches }: { batches: readonly Batch[] }) {
  return (
    <Card isFlush={batches.length > 0}>
      <Table
        caption={t('nav.reports')}
        rows={batches}
        keyOf={({ batch_id }) => batch_id}
        stacks
        empty={
          <Empty title={t('reports.none')}>
            <p>{t('reports.none_help')}</p>
            <ButtonLink href="/">{t('nav.batches')}</ButtonLink>
          </Empty>
        }
        columns={[
          {
            ...{ id: 'batch', label: t('batches.column.batch'), isHead: true },
            cell: ({ batch_id, run_id, file_name }) => (
              <>
                <Link href={`/reports/${encodeURIComponent(batch_id)}`}>{run_id}</Link>
                <div className="quiet small name-cell">{file_name}</div>
              </>
            ),
          },
          { id: 'state', label: t('base.state'), cell: (batch) => <BatchBadge batch={batch} /> },
          progressColumn(),
          chargedColumn(),
          { id: 'done', label: t('reports.done_at'), cell: ({ done_at }) => <Time at={done_at} /> },
        ]}
      />
    </Card>
  );
}
