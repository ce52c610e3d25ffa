import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Answer, get } from '../../api/client.ts';
import { useRole } from '../../api/session.ts';
import { Button } from '../../base/button.tsx';
import { Dialog } from '../../base/dialog.tsx';
import { actorName, detailOf, eventName } from '../../base/event-text.ts';
import { Failure, Loaded } from '../../base/failure.tsx';
import { type Fact, Facts } from '../../base/page.tsx';
import { RowBadge } from '../../base/state-badge.tsx';
import { None, Time } from '../../base/values.tsx';
import { t } from '../../texts/i18n.ts';
import { problemMore, problemTitle, rowReason } from '../../texts/problem-text.ts';
import type { Row } from './batch-queries.ts';
import { type Decision, DecisionDialog, HeldRowActions } from './held-decision.tsx';
import { useLookUp } from './look-up.ts';
import { ResolveDialog } from './resolve-dialog.tsx';
import { Asked, Cost } from './row-values.tsx';
import './history.css';

/** All that one request may read: a row in doubt is looked up again and again. */
const eventsMax = 1_000;
/** How often details are asked for again while the account needs its reads for payments that have not ended (ms). */
const detailsMs = 5_000;

/** A row, as far as the list has it; the history has the rest. */
export type ShownRow = Pick<
  Row,
  'row_no' | 'status' | 'person' | 'phone_number' | 'line' | 'reason' | 'waiting_reason' | 'sent_at'
> &
  Pick<Row, 'amount' | 'currency' | 'product_id'> &
  Partial<Row>;

interface RowDialogProps {
  batchId: string;
  /** As far as the page knows it. */
  row: ShownRow;
  onClose: () => void;
}

/** All that is known of one row: its request, its result, and every step. */
export function RowDialog({ batchId, row: opened, onClose }: RowDialogProps) {
  const [isResolving, setResolving] = useState(false);
  const [decision, setDecision] = useState<Decision | null>(null);
  const mayResolve = useRole('resolve');
  const mayOperate = useRole('operate');
  const lookUp = useLookUp();
  const { row_no } = opened;
  const query = useQuery({
    queryKey: ['batch', batchId, 'row', row_no],
    queryFn: async () => {
      const path = { batch_id: batchId, row: row_no };
      // Row numbers have no gap.
      const listed = { path: { batch_id: batchId }, query: { after: row_no - 1, limit: 1 } };
      const [{ problems }, list, history] = await Promise.all([
        get('/api/v1/batches/{batch_id}/rows/{row}', { path }),
        get('/api/v1/batches/{batch_id}/rows', listed),
        get('/api/v1/events', { query: { ...path, limit: eventsMax } }),
      ]);
      return { problems, row: list.rows.find((one) => one.row_no === row_no) ?? null, events: history.events };
    },
  });
  // The row of the page is as it was when the dialog was opened.
  const row = query.data?.row ?? opened;
  const details = useDetails(batchId, row);
  if (isResolving) return <ResolveDialog batchId={batchId} rowNo={row_no} onClose={onClose} />;
  if (decision !== null) return <DecisionDialog batchId={batchId} decision={decision} onClose={onClose} />;
  const shown =
    query.data === undefined || query.data.problems.length > 0
      ? { ...row, code: null, reason: null, waiting_reason: null }
      : row;
  const isOpen = row.status === 'in_doubt' || row.status === 'accepted';
  return (
    <Dialog title={t('rows.one', { row: row_no })} onClose={onClose}>
      <Facts facts={[...factsOf(shown), detailFact(details)]} />
      <Loaded query={query}>
        {({ problems, events }) => (
          <>
            {problems.map((problem) => (
              <div key={problem.code + problem.message} className="notice tone-attention">
                <p>
                  <strong>{problemTitle(problem.code)}</strong>
                </p>
                <p>{problemMore(problem)}</p>
              </div>
            ))}
            <History events={events} />
          </>
        )}
      </Loaded>
      {lookUp.error !== null && <Failure error={lookUp.error} />}
      <div className="line">
        {row.status === 'in_doubt' && mayOperate && (
          <Button isBusy={lookUp.isPending} onClick={() => lookUp.mutate([{ batch_id: batchId, rows: [row_no] }])}>
            {t(lookUp.isPending ? 'doubts.looking' : 'doubts.look_up')}
          </Button>
        )}
        {row.status === 'held' && mayOperate && (
          <HeldRowActions batchId={batchId} rowNo={row_no} onDecide={setDecision} />
        )}
        {isOpen && mayResolve && <Button onClick={() => setResolving(true)}>{t('resolve.open')}</Button>}
      </div>
    </Dialog>
  );
}

function History({ events }: Pick<Answer<'/api/v1/events'>, 'events'>) {
  return (
    <>
      <h3>{t('rows.history')}</h3>
      <ol className="history">
        {events.map((event) => (
          <li key={event.seq}>
            <strong>{eventName(event)}</strong>
            <div className="small quiet">
              <Time at={event.at} isExact /> · {actorName(event.actor)}
            </div>
            <div className="small quiet wrap">{detailOf(event)}</div>
          </li>
        ))}
      </ol>
    </>
  );
}

type Details = Answer<'/api/v1/batches/{batch_id}/rows/{row}/details'>;

/** What the service's list does not show of a payment. It is read when somebody looks at the row. */
function useDetails(batchId: string, { row_no, status }: ShownRow): Details | undefined {
  const { data } = useQuery({
    queryKey: ['row-details', batchId, row_no],
    queryFn: () => {
      const path = { batch_id: batchId, row: row_no };
      return get('/api/v1/batches/{batch_id}/rows/{row}/details', { path });
    },
    enabled: status === 'completed',
    refetchInterval: ({ state }) => (state.data?.is_unread === true ? detailsMs : false),
  });
  return data;
}

function detailFact(details: Details | undefined): Fact | false {
  const { provider_reference = null, is_unread = false } = details ?? {};
  if (provider_reference !== null) return [t('rows.provider'), <code key="provider">{provider_reference}</code>];
  return is_unread && [t('rows.provider'), t('rows.provider_later')];
}

function factsOf(row: ShownRow): (Fact | false)[] {
  const { status, person, phone_number, line, sent_at } = row;
  const reason = rowReason({ ...row, code: row.code ?? null });
  const { row_ref = null, topup_id = null, service_status = null, paid_by = null } = row;
  const { cost = null, cost_currency = null } = row;
  return [
    [t('base.state'), <RowBadge key="state" state={status} />],
    [t('rows.person'), person ?? <None key="none" />],
    [t('rows.phone'), phone_number ?? <None key="none" />],
    [t('rows.amount'), <Asked key="asked" row={row} />],
    [t('batches.column.charged'), <Cost key="cost" row={{ cost, cost_currency }} />],
    [t('rows.line'), line],
    row_ref !== null && [t('rows.ref'), row_ref],
    sent_at !== null && [t('rows.sent'), <Time key="sent" at={sent_at} isExact />],
    topup_id !== null && [t('rows.topup'), <code key="id">{topup_id}</code>],
    service_status !== null && [t('rows.service_status'), service_status],
    reason !== '' && [t('base.reason'), reason],
    paid_by !== null && [t('rows.paid_by'), paid_by],
  ];
}
