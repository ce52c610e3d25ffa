import { allEnded } from '../../core/basics/all-ended.ts';
import { idempotencyKey, parseReference } from '../../core/identity/ids.ts';
import { isSameService } from '../../core/identity/service-name.ts';
import { wasSent } from '../../core/state/row-state.ts';
import { paymentsPerPageMax, type ServicePayment } from '../../gateway/contract/gateway.ts';
import { listCutShort, makePageMarks } from '../../gateway/contract/list-pages.ts';
import { findBatch } from '../../ledger/batches/batches.ts';
import { noteContradiction } from '../../ledger/reporting/contradictions.ts';
import { noteLateCharge } from '../../ledger/reporting/late-charges.ts';
import { keepMayBePaid } from '../../ledger/reporting/may-be-paid.ts';
import { findPayment, type PaymentRecord } from '../../ledger/rows/payments.ts';
import { findRow, type RowRecord } from '../../ledger/rows/rows.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { writeLimits } from '../pacing/write-limits.ts';
import { mismatch, referenceOf } from '../payments/payment-request.ts';
import type { Parts } from '../runner/context.ts';
import {
  type ApplyStatusUpdateNeeds,
  applyStatusUpdate,
  contradictEnd,
  reportSecondPayment,
} from './apply-status-update.ts';
import { type ListCursor, never } from './list-cursor.ts';
import { backlogPages, type LookPlan, sumFollowed } from './look-plan.ts';

export type ListLookNeeds = Parts<'batches' | 'clock' | 'committer' | 'db' | 'followed' | 'limiter' | 'readTrouble'> &
  Parts<'settlementStats' | 'stopping'> &
  ApplyStatusUpdateNeeds;

/** A further page is worth a request if it should show at least this many rows that are waited for. */
const rowsPerPageMin = paymentsPerPageMax / 2;
/**
 * How many pages of a backlog are requested in advance, while each page shows at least this many ends. Pages nearer to
 * the newest rows contain more open payments, which must be listed again.
 */
const pagesAheadMax = 3;
const endsPerPageAheadMin = paymentsPerPageMax * (3 / 4);
/**
 * The list is read from this much before the oldest row that is waited for, if its times differ from those of the
 * ledger.
 */
const listMarginMs = 2_000;
/** The margin if the times are equal: a service may show whole seconds although it compares finer times. */
const secondMs = 1_000;

/**
 * Reads the list from the row that was created at `from`, as far as there are rows of the plan that were created by
 * `until`. It skips stretches without such rows. Returns how long to wait after trouble (ms), else 0.
 */
export async function look(
  context: ListLookNeeds,
  cursor: ListCursor,
  { fresh, dueBy, isSending }: LookPlan,
  { from, until }: { from: number; until: number },
): Promise<number> {
  const { clock } = context;
  const { list } = context.gateway;
  const listedBefore = cursor.covered;
  // The next page is requested while the changes of the last page are written.
  const writing: Promise<void>[] = [];
  // Pages that were requested in advance.
  const ahead: ReturnType<typeof readPage>[] = [];
  let troubleMs = 0;
  let isNew = makePageMarks();
  const readPage = async (page: number) => {
    const outcome = await context.limiter.admit('read', async () => {
      const fromMs = from - marginMs(context, from);
      return list?.({ page, perPage: paymentsPerPageMax, fromMs, toMs: null, oldestFirst: true });
    });
    // Also of a page that was requested in advance, and is not needed any more: a 429 is obeyed by the whole account.
    if (outcome && outcome.kind !== 'page') troubleMs = Math.max(troubleMs, await context.readTrouble(outcome));
    return outcome;
  };
  for (let page = 1; list && !context.stopping.aborted; ) {
    const outcome = await (ahead.shift() ?? readPage(page));
    if (outcome?.kind !== 'page') break;
    // Only payments that ended or have an unknown status are looked up in the ledger: open ones are not news.
    const news = outcome.payments.filter(({ state, unknownStatus }) => state !== 'open' || unknownStatus);
    if (news.length > 0) writing.push(commitNews(context, news));
    const listedTo = Math.max(never, ...outcome.payments.map(({ createdAt }) => createdAt ?? never));
    cursor.covered = Math.max(cursor.covered, listedTo);
    if (!outcome.hasNext) {
      // A row that the list does not show yet is no reason to read the list again at once.
      cursor.covered = Math.max(cursor.covered, fresh.newest ?? never);
      break;
    }
    // Stops at a page without new entries: a service that always announces a further page would be read for ever.
    if (!isNew(outcome)) {
      troubleMs = await context.readTrouble(listCutShort);
      break;
    }
    const pagesLeft = (outcome.total - page * paymentsPerPageMax) / paymentsPerPageMax;
    if (pagesLeft >= backlogPages && waitedFor(context, news, listedBefore) >= endsPerPageAheadMin) {
      // Nearly all of a long list is waited for. Page by page, reading would be slower than sending.
      page += 1;
      while (ahead.length < pagesAheadMax && ahead.length < pagesLeft - backlogPages)
        ahead.push(readPage(page + ahead.length));
      continue;
    }
    if (ahead.length > 0 || listedTo <= from) {
      page += 1;
      continue;
    }
    const [beyond] = await sumFollowed(context, [{ now: clock.now(), dueBy, after: listedTo, until }]);
    const isOfBefore = beyond.oldest !== null && beyond.oldest <= listedBefore;
    if (isSending && beyond.count < rowsPerPageMin && !isOfBefore) break;
    if (await isCutOff(context, outcome.payments, { at: listedTo, dueBy })) {
      page += 1;
      continue;
    }
    if (beyond.oldest === null) break;
    page = 1;
    from = beyond.oldest;
    isNew = makePageMarks();
  }
  await Promise.allSettled(ahead);
  await Promise.all(writing);
  return troubleMs;
}

function commitNews(context: ListLookNeeds, news: readonly ServicePayment[]): Promise<void> {
  const written = writeLimits(context.db).pages(() =>
    context.committer.commit(async (unit) => {
      for (const payment of await withoutPlainEnds(unit, context, news)) await writeNews(unit, context, payment);
    }),
  );
  // `look` awaits this promise at its end and handles the failure. Without this line, Node would report it as unhandled
  // before.
  written.catch(() => undefined);
  return written;
}

/**
 * How many of the payments probably belong to rows that are waited for. This is estimated, because asking the ledger
 * would take longer than reading the next page.
 */
function waitedFor(
  { batches, settlementStats }: Parts<'batches' | 'settlementStats'>,
  news: readonly ServicePayment[],
  listedBefore: number,
): number {
  if (settlementStats.webhooksArrive()) return 0;
  const runIds = new Set([...batches.all().values()].map(({ batch }) => batch.run_id));
  return news.filter(({ createdAt, reference }) => {
    if (createdAt === null || createdAt <= listedBefore || reference === null) return false;
    return runIds.has(parseReference(reference)?.runId ?? '');
  }).length;
}

/**
 * Whether the next page continues with rows that were created in the same millisecond as the last payments of this
 * page.
 */
async function isCutOff(
  context: Parts<'batches' | 'clock' | 'db' | 'followed'>,
  payments: readonly ServicePayment[],
  { at, dueBy }: { at: number; dueBy: number },
): Promise<boolean> {
  const now = context.clock.now();
  const [{ count }] = await sumFollowed(context, [{ now, dueBy, after: at - 1, until: at }]);
  if (count === 0) return false;
  const shown = payments.filter(({ createdAt, topupId }) => createdAt === at && context.followed.get(topupId) !== null);
  return count > shown.length;
}

function marginMs({ settlementStats }: Parts<'settlementStats'>, from: number): number {
  if (!settlementStats.sameTimes()) return listMarginMs;
  return from % secondMs === 0 ? secondMs : 0;
}

/**
 * Writes the ends of rows that are at hand and as expected, all at once: one by one, each would wait for a round trip
 * to a database server. Returns the other payments.
 */
async function withoutPlainEnds(
  unit: Unit,
  context: ListLookNeeds,
  news: readonly ServicePayment[],
): Promise<ServicePayment[]> {
  const written = await allEnded(
    news.map((payment) => {
      const row = context.followed.get(payment.topupId);
      return row !== null && isPlainEnd(context, row, payment) && writeIfOurs(unit, context, row, payment);
    }),
  );
  return news.filter((_, index) => !written[index]);
}

/** Whether nothing but the row itself changes with this payment. */
function isPlainEnd({ batches }: Parts<'batches'>, row: RowRecord, payment: ServicePayment): boolean {
  const open = batches.get(row.batch_id);
  if (!open || row.generation > 1 || payment.state !== 'completed' || payment.unknownStatus) return false;
  return mismatch(row, referenceOf(open.batch, row, row.generation), payment) === null;
}

/** Applies a listed payment to its row, if the row is followed. Otherwise records where it contradicts the row. */
async function writeNews(unit: Unit, context: ListLookNeeds, payment: ServicePayment): Promise<void> {
  const atHand = context.followed.get(payment.topupId);
  if (atHand && (await writeIfOurs(unit, context, atHand, payment))) return;
  const named = payment.reference === null ? null : parseReference(payment.reference);
  if (!named) return;
  const bound = await findPayment(unit.tx, idempotencyKey({ account: context.account, ...named }));
  const row = bound && (await findRow(unit.tx, bound.batch_id, bound.row_no));
  if (!row || (await writeIfOurs(unit, context, row, payment))) return;
  const isAsEnded = row.topup_id === payment.topupId && row.status === payment.state;
  const open = context.batches.get(row.batch_id);
  if (isAsEnded || (!open && !(await isOfService(unit, context, row)))) return;
  await contradictEnd(unit, context, open, row, payment);
  await reportSecondPayment(unit, context, open, row, payment);
  if (bound.generation < row.generation) await keepEarlierArrived(unit, context, row, payment, bound);
}

/**
 * Stores that the service has completed an earlier payment of a row, because the list may not show it again. If the
 * row's present payment is in doubt or being sent, its end decides: the row then has two payments, or it failed and
 * counts as paid. A row that is not sent counts as paid now, and waits for a person.
 */
async function keepEarlierArrived(
  unit: Unit,
  { log }: ListLookNeeds,
  row: RowRecord,
  payment: ServicePayment,
  { reference, first_intent_at: firstSentAt }: PaymentRecord,
): Promise<void> {
  if (payment.state !== 'completed') return;
  const { batch_id, row_no, status } = row;
  const { serviceStatus } = payment;
  const why = 'an earlier payment of the row is completed';
  let isNews = false;
  if (status === 'in_doubt' || status === 'sending') isNews = await noteLateCharge(unit, row, payment);
  else if (!wasSent(status)) {
    await keepMayBePaid(unit, row, { reference, serviceStatus, firstSentAt });
    const kept = (await findRow(unit.tx, batch_id, row_no)) ?? row;
    const noted = await noteContradiction(unit, kept, { ...payment, why, firstSentAt });
    isNews = noted !== null || kept.status !== status;
  }
  if (isNews) log.warn('the service contradicts the ledger', { batch_id, row: row_no, why });
}

/** Whether the row's batch was sent to this service. */
async function isOfService(unit: Unit, { service }: Parts<'service'>, row: RowRecord): Promise<boolean> {
  const batch = await findBatch(unit.tx, row.batch_id);
  return batch !== null && isSameService(batch.service, service);
}

/** Applies the payment if it is the row's own and the ledger's row is unchanged. Returns whether it did. */
async function writeIfOurs(
  unit: Unit,
  context: ListLookNeeds,
  row: RowRecord,
  payment: ServicePayment,
): Promise<boolean> {
  const open = context.batches.get(row.batch_id);
  if (!open || row.status !== 'accepted' || row.topup_id !== payment.topupId) return false;
  // An entry may lack its reference; then the service's own id identifies the payment.
  if (payment.reference !== null && payment.reference !== referenceOf(open.batch, row, row.generation)) return false;
  if ((await applyStatusUpdate(unit, context, open, row, payment)) === null) return false;
  if (payment.state !== 'open') context.settlementStats.noteListed(payment, row.accepted_at);
  return true;
}
