import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { useSession } from '../../api/session.ts';
import { Loaded } from '../../base/failure.tsx';
import { type Fact, Facts, type Figure, Figures, Loading, Page } from '../../base/page.tsx';
import { BatchBadge, RowBar } from '../../base/state-badge.tsx';
import { Tabs } from '../../base/tabs.tsx';
import { Count, draftPath, None, Sums, serviceText, Time } from '../../base/values.tsx';
import { formatCount, formatDuration, formatPercent } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import { BatchActions } from './batch-actions.tsx';
import { type BatchStatus, type Progress, useBatch, useDoubtSums, useLive, useProgress } from './batch-queries.ts';
import { EventsPanel } from './events-panel.tsx';
import { HeldPanel } from './held-panel.tsx';
import { LinkedRow } from './linked-row.tsx';
import { RowsPanel } from './rows-panel.tsx';
import { SituationNotice } from './situation.tsx';

/** One batch, live: what is needed now, how far it is, its rows and all that happened to it. */
export function BatchPage() {
  const { id = '' } = useParams();
  const batchId = decodeURIComponent(id);
  const query = useBatch(batchId);
  const isLive = useLive(batchId);
  const title = query.data?.run_id ?? batchId;
  if (query.data === undefined)
    return (
      <Page title={title}>
        <Loaded query={query}>{() => <Loading />}</Loaded>
      </Page>
    );
  const batch = query.data;
  return (
    <Page title={title} sub={<Sub batch={batch} />} actions={<BatchActions batch={batch} />}>
      <Loaded query={query}>{() => <SituationNotice batch={batch} />}</Loaded>
      {!isLive && <p className="small quiet">{t('batch.not_live')}</p>}
      <Numbers batch={batch} />
      <Details batch={batch} />
      <LinkedRow batchId={batchId} />
    </Page>
  );
}

function Sub({ batch }: { batch: BatchStatus }) {
  const { file_name, account, created_by, created_at } = batch;
  return (
    <div className="line">
      <BatchBadge batch={batch} />
      <span>
        {file_name} · {account} · {t('batches.by', { person: created_by })}, <Time at={created_at} />
      </span>
    </div>
  );
}

function Numbers({ batch }: { batch: BatchStatus }) {
  const { counts, charged, situation } = batch;
  const { total, open, in_doubt } = situation.rows;
  const doubts = useDoubtSums(batch.batch_id, in_doubt > 0).data;
  const progress = useProgress(batch.batch_id, open > 0).data ?? null;
  const settled = total - open;
  const isUndecided = ['validated', 'awaiting_approval'].includes(batch.status);
  const held = counts.held ?? 0;
  const figures: (Figure | false)[] = [
    // Before anything may be sent, only wrong rows have an outcome.
    isUndecided
      ? {
          name: t('approval.to_pay_rows'),
          value: t('approval.rows_of', { rows: formatCount(counts.ready ?? 0), all: total }),
        }
      : {
          name: t('batch.settled'),
          value: `${formatCount(settled)} / ${formatCount(total)}`,
          more: total > 0 ? formatPercent(settled / total) : undefined,
        },
    { name: t('batch.money_out'), value: <Sums sums={charged} /> },
    in_doubt > 0 && {
      name: t('doubts.tab.doubts'),
      value: <Link href="/doubts">{formatCount(in_doubt)}</Link>,
      more: (
        <>
          {doubts && <Sums sums={doubts.sums} products={doubts.products} />}
          {t('batch.in_doubt_help')}
        </>
      ),
    },
    held > 0 && { name: t('doubts.tab.held'), value: <Count of={held} /> },
    toCorrect(counts),
    ...(progress === null ? [] : paceFigures(progress)),
  ];
  return (
    <>
      <Figures figures={figures} />
      <RowBar counts={counts} hasLegend />
    </>
  );
}

/** As many rows as the situation names. */
function toCorrect(counts: BatchStatus['counts']): Figure | false {
  const states = (['failed', 'invalid'] as const).filter((state) => (counts[state] ?? 0) > 0);
  if (states.length === 0) return false;
  const total = states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
  const more = states.map((state) => t(`batch.to_correct.${state}`, { count: counts[state] ?? 0 })).join(' · ');
  return { name: t('batch.to_correct'), value: <Count of={total} />, more };
}

function paceFigures({ rate_used, rate_allowed, window_ms, left_ms, done_at, finish_by, in_time }: Progress) {
  const pace = rate_used !== null &&
    rate_allowed !== null &&
    window_ms !== null && {
      name: t('batch.pace'),
      value: `${formatCount(rate_used)} / ${formatCount(rate_allowed)}`,
      more: t('batch.pace_help', { window: formatDuration(window_ms) }),
    };
  // Once all rows are sent, no time to send is left: the batch waits for results, or for a person.
  const left = left_ms === null || left_ms === 0 ? undefined : t('batch.left', { time: formatDuration(left_ms) });
  const finish = (done_at !== null || left !== undefined) && {
    name: t('batch.done_at'),
    value: <Time at={done_at} />,
    more: left,
  };
  const wanted = finish_by !== null && {
    name: t('batch.finish_by'),
    value: <Time at={finish_by} />,
    more: in_time === false ? t('batches.late') : undefined,
  };
  return [pace, finish, wanted];
}

const tabs = ['rows', 'held', 'events', 'details'] as const;

function Details({ batch }: { batch: BatchStatus }) {
  const held = batch.counts.held ?? 0;
  const mayHold = useSession().roles.includes('operate');
  const [chosen, setChosen] = useState<(typeof tabs)[number]>('rows');
  const shown = tabs.filter((tab) => tab !== 'held' || (held > 0 && mayHold) || chosen === 'held');
  return (
    <Tabs
      label={t('batch.parts')}
      tabs={shown.map((id) => ({
        id,
        label: id === 'held' ? `${t('batch.tab.held')} (${formatCount(held)})` : t(`batch.tab.${id}`),
      }))}
      chosen={chosen}
      onChoose={setChosen}
    >
      {chosen === 'rows' && <RowsPanel batch={batch} />}
      {chosen === 'held' && <HeldPanel batchId={batch.batch_id} run={batch.run_id} />}
      {chosen === 'events' && <EventsPanel batchId={batch.batch_id} />}
      {chosen === 'details' && <BatchFacts batch={batch} />}
    </Tabs>
  );
}

function BatchFacts({ batch }: { batch: BatchStatus }) {
  const { batch_id, service, approved_by, approved_at, priority, finish_by, worker } = batch;
  const { draft_id, paid_since, contradicted_rows } = batch;
  return (
    <div className="card">
      <Facts
        facts={[
          [t('batches.column.batch'), <code key="id">{batch_id}</code>],
          [t('batch.service'), serviceText(service)],
          [
            t('batch.approved_by'),
            approved_by === null ? (
              <None key="none" />
            ) : (
              <span key="by">
                {approved_by}, <Time at={approved_at} />
              </span>
            ),
          ],
          [t('batch.priority'), t(`priority.${priority}`)],
          [t('batch.finish_by'), <Time key="finish" at={finish_by} />],
          [t('batch.worker'), worker ?? t('batch.no_worker')],
          draft_id !== null && fileFact(draft_id),
          ...paid_since.map(
            (later): Fact => [
              t('batch.paid_since'),
              t('base.labelled', { label: later.batch_id, value: formatCount(later.rows) }),
            ],
          ),
          ...contradicted_rows.map(
            (row): Fact => [
              t('batch.contradicted'),
              t('base.labelled', { label: formatCount(row.row), value: row.service_status }),
            ],
          ),
        ]}
      />
    </div>
  );
}

function fileFact(draftId: string): Fact {
  return [
    t('draft.of_batch'),
    <Link key="draft" href={draftPath(draftId)}>
      {t('draft.files')}
    </Link>,
  ];
}
