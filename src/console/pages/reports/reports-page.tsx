import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { answered, api } from '../../api/client.ts';
import { ButtonLink } from '../../base/button.tsx';
import { Failure } from '../../base/failure.tsx';
import { MoreRows } from '../../base/more-rows.tsx';
import { Card, Empty, Loading, Page } from '../../base/page.tsx';
import { BatchBadge } from '../../base/state-badge.tsx';
import { Table } from '../../base/table.tsx';
import { Time } from '../../base/values.tsx';
import { t } from '../../texts/i18n.ts';
import { chargedColumn, progressColumn } from '../batches/batch-columns.tsx';

const pageRows = 50;
const ended = ['completed', 'cancelled', 'rejected'] as const;

/** The batches that have ended: each has reports. */
export function ReportsPage() {
  const query = useInfiniteQuery({
    queryKey: ['batches', 'reports'],
    queryFn: ({ pageParam }) => {
      const from = pageParam === null ? {} : { before: pageParam };
      return answered(
        api.GET('/api/v1/batches', { params: { query: { status: [...ended], limit: pageRows, ...from } } }),
      );
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
  const { data, error, refetch } = query;
  const batches = data?.pages.flatMap((page) => page.batches) ?? [];
  return (
    <Page title={t('nav.reports')} sub={t('reports.sub')}>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && (
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
              { id: 'state', label: t('base.state'), cell: ({ status }) => <BatchBadge state={status} /> },
              progressColumn(),
              chargedColumn(),
              { id: 'done', label: t('reports.done_at'), cell: ({ done_at }) => <Time at={done_at} /> },
            ]}
          />
        </Card>
      )}
      <MoreRows query={query} label={t('batches.more')} />
    </Page>
  );
}
