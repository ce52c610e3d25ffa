import { useState } from 'react';
import { get } from '../../api/client.ts';
import { refresh, usePages } from '../../api/query-client.ts';
import { useRole } from '../../api/session.ts';
import { ButtonLink } from '../../base/button.tsx';
import { Loaded } from '../../base/failure.tsx';
import { FilterRow, NoneFits } from '../../base/filter-row.tsx';
import { MoreRows } from '../../base/more-rows.tsx';
import { Card, EmptyCard, Page } from '../../base/page.tsx';
import { Badge, BatchBadge } from '../../base/state-badge.tsx';
import { Table } from '../../base/table.tsx';
import { BatchLink, Count, Time } from '../../base/values.tsx';
import { formatTime } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import { chargedColumn, progressColumn } from './batch-columns.tsx';
import { type Batch, filters, fits, type Kind, statesOf } from './batch-filter.ts';

const pageRows = 50;

/** All batches, the newest first. */
export function BatchesPage() {
  const [kind, setKind] = useState<Kind>('all');
  const [search, setSearch] = useState('');
  const mayPrepare = useRole('prepare');
  const query = usePages(
    ['batches', kind],
    null as string | null,
    (before) => get('/api/v1/batches', { query: { limit: pageRows, before, status: statesOf(kind) } }),
    { refetchInterval: refresh() },
  );
  return (
    <Page
      title={t('nav.batches')}
      actions={
        mayPrepare && (
          <ButtonLink href="/new" look="main-action">
            {t('nav.new')}
          </ButtonLink>
        )
      }
    >
      <FilterRow
        choiceLabel={t('base.show')}
        choice={kind}
        options={filters.map((value) => ({ value, label: t(`batches.filter.${value}`) }))}
        onPick={setKind}
        searchLabel={t('batches.search')}
        search={search}
        onSearch={setSearch}
      />
      <Loaded query={query}>
        {({ pages }) => {
          const all = pages.flatMap(({ batches }) => batches);
          return (
            <BatchList
              batches={all.filter((batch) => fits(batch, kind, search))}
              hasAny={all.length > 0 || kind !== 'all'}
              onClear={() => {
                setKind('all');
                setSearch('');
              }}
            />
          );
        }}
      </Loaded>
      <MoreRows query={query} label={t('batches.more')} />
    </Page>
  );
}

interface ListProps {
  batches: readonly Batch[];
  /** Whether there are batches that the filter leaves out. */
  hasAny: boolean;
  onClear: () => void;
}

function BatchList({ batches, hasAny, onClear }: ListProps) {
  if (batches.length === 0)
    return hasAny ? (
      <Card>
        <NoneFits title={t('batches.none_match')} onClear={onClear} />
      </Card>
    ) : (
      <EmptyCard title={t('batches.none')}>
        <p>{t('batches.none_help', { role: t('role.prepare') })}</p>
      </EmptyCard>
    );
  return (
    <Card isFlush>
      <Table
        caption={t('nav.batches')}
        rows={batches}
        keyOf={({ batch_id }) => batch_id}
        stacks
        columns={[
          { id: 'batch', label: t('batches.column.batch'), isHead: true, cell: (batch) => <Name batch={batch} /> },
          { id: 'state', label: t('base.state'), cell: (batch) => <State batch={batch} /> },
          {
            ...{ id: 'rows', label: t('batches.column.rows'), isNumber: true },
            cell: ({ counts }) => <Count of={Object.values(counts).reduce((sum, one) => sum + one, 0)} />,
          },
          progressColumn(),
          chargedColumn(),
          { id: 'account', label: t('batches.column.account'), cell: ({ account }) => account },
          {
            ...{ id: 'created', label: t('batches.column.created') },
            cell: ({ created_at, created_by }) => (
              <>
                <Time at={created_at} />
                <div className="quiet small wrap">{t('batches.by', { person: created_by })}</div>
              </>
            ),
          },
        ]}
      />
    </Card>
  );
}

function Name({ batch: { batch_id, run_id, file_name, finish_by, in_time } }: { batch: Batch }) {
  return (
    <>
      <BatchLink id={batch_id} run={run_id} />
      <div className="quiet small name-cell">{file_name}</div>
      {finish_by !== null && (
        <div className="small quiet">
          {t('batches.finish_by', { time: formatTime(finish_by) })}
          {in_time === false && <strong> · {t('batches.late')}</strong>}
        </div>
      )}
    </>
  );
}

function State({ batch }: { batch: Batch }) {
  const { in_doubt = 0, held = 0, failed = 0 } = batch.counts;
  return (
    <div className="state-cell">
      <BatchBadge batch={batch} />
      {in_doubt > 0 && <Badge tone="doubt">{t('batches.in_doubt', { count: in_doubt })}</Badge>}
      {held > 0 && <Badge tone="attention">{t('batches.held', { count: held })}</Badge>}
      {failed > 0 && <Badge tone="bad">{t('batches.failed', { count: failed })}</Badge>}
    </div>
  );
}
