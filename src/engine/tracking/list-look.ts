import { idempotencyKey, parseReference } from '../../core/identity/ids.ts';
import { paymentsPerPageMax, type ServicePayment } from '../../gateway/contract/gateway.ts';
import { listCutShort, makePageMarks } from '../../gateway/contract/list-pages.ts';
import { findPayment } from '../../ledger/rows/payments.ts';
import { findRow, type RowRecord } from '../../ledger/rows/rows.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { referenceOf } from '../payments/payment-request.ts';
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

/** A further page is worth a request where so many rows are waited for on it. */
const rowsPerPageMin = paymentsPerPageMax / 2;
/**
 * So many pages of a backlog are asked for ahead, while each tells of so many ends: nearer to the newest rows, a page
 * holds more payments that have not ended and must be listed again.
 */
const pagesAheadMax = 3;
const endsPerPageAheadMin = paymentsPerPageMax * (3 / 4);
/**
 * The list is asked from this much before the oldest row that is waited for, where its times are not the ledger's own.
 */
const listMarginMs = 2_000;
/** The same where they are; a service may show whole seconds of what it compares in finer ones. */
const secondMs = 1_000;

/**
 * Reads the list from the row on that was created at `from`, and as far as rows of the plan are waited for, created by
 * `until`; what lies between them is left out. Returns how long to wait after trouble (ms), else 0.
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
  // The next page is asked for while the news of the one before is written.
  const writing: Promise<void>[] = [];
  // Pages that were asked for before their turn.
  const ahead: ReturnType<typeof readPage>[] = [];
  let troubleMs = 0;
  let isNew = makePageMarks();
  const readPage = (page: number) =>
    context.limiter.admit('read', async () => {
      const fromMs = from - marginMs(context, from);
      return list?.({ page, perPage: paymentsPerPageMax, fromMs, toMs: null, oldestFirst: true });
    });
  for (let page = 1; list && !context.stopping.aborted; ) {
    const outcome = await (ahead.shift() ?? readPage(page));
    if (!outcome) break;
    if (outcome.kind !== 'page') {
      troubleMs = await context.readTrouble(outcome);
      break;
    }
    // An open payment tells nothing new, so only the ended ones (and strange ones) cost a look into the ledger.
    const news = outcome.payments.filter(({ state, unknownStatus }) => state !== 'open' || unknownStatus);
    if (news.length > 0) writing.push(commitNews(context, news));
    const listedTo = Math.max(never, ...outcome.payments.map(({ createdAt }) => createdAt ?? never));
    cursor.covered = Math.max(cursor.covered, listedTo);
    if (!outcome.hasNext) {
      // What the list does not show yet is no reason to read it again at once.
      cursor.covered = Math.max(cursor.covered, fresh.newest ?? never);
      break;
    }
    // A service that always says that there is more would be read for ever.
    if (!isNew(outcome)) {
      troubleMs = await context.readTrouble(listCutShort);
      break;
    }
    const pagesLeft = (outcome.total - page * paymentsPerPageMax) / paymentsPerPageMax;
    if (pagesLeft >= backlogPages && waitedFor(context, news, listedBefore) >= endsPerPageAheadMin) {
      // The list is long and full of what is waited for: a single page at a time would not keep up with what is sent.
      page += 1;
      while (ahead.length < pagesAheadMax && ahead.length < pagesLeft - backlogPages)
        ahead.push(readPage(page + ahead.length));
      continue;
    }
    if (ahead.length > 0 || listedTo <= from) {
      page += 1;
      continue;
    }
    const beyond = await sumFollowed(context, { now: clock.now(), dueBy, after: listedTo, until });
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
  const written = context.committer.commit(async (unit) => {
    for (const payment of news) await writeNews(unit, context, payment);
  });
  // Its failure is handled by whoever awaits it at the end of the look, not as one that nobody handles.
  written.catch(() => undefined);
  return written;
}

/**
 * How many of the payments are probably of rows that are waited for. To ask the ledger would take longer than to read
 * the next page.
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
 * Whether rows that are waited for were created at the very instant of a page's last payments, and stand on the next
 * page.
 */
async function isCutOff(
  context: Parts<'batches' | 'clock' | 'db' | 'followed'>,
  payments: readonly ServicePayment[],
  { at, dueBy }: { at: number; dueBy: number },
): Promise<boolean> {
  const now = context.clock.now();
  const { count } = await sumFollowed(context, { now, dueBy, after: at - 1, until: at });
  if (count === 0) return false;
  const shown = payments.filter(({ createdAt, topupId }) => createdAt === at && context.followed.get(topupId) !== null);
  return count > shown.length;
}

function marginMs({ settlementStats }: Parts<'settlementStats'>, from: number): number {
  if (!settlementStats.sameTimes()) return listMarginMs;
  return from % secondMs === 0 ? secondMs : 0;
}

/** Writes what the service says of a listed payment, if it is the one of a row that is followed. */
async function writeNews(unit: Unit, context: ListLookNeeds, payment: ServicePayment): Promise<void> {
  const atHand = context.followed.get(payment.topupId);
  if (atHand && (await writeIfOurs(unit, context, atHand, payment))) return;
  const named = payment.reference === null ? null : parseReference(payment.reference);
  if (!named) return;
  const bound = await findPayment(unit.tx, idempotencyKey({ account: context.account, ...named }));
  const row = bound && (await findRow(unit.tx, bound.batch_id, bound.row_no));
  if (!row || (await writeIfOurs(unit, context, row, payment))) return;
  const open = context.batches.get(row.batch_id);
  if (!open) return;
  await contradictEnd(unit, context, open, row, payment);
  await reportSecondPayment(unit, context, open, row, payment);
}

/** Whether the payment was the row's and the row was as it is here: then what the service says is written. */
async function writeIfOurs(
  unit: Unit,
  context: ListLookNeeds,
  row: RowRecord,
  payment: ServicePayment,
): Promise<boolean> {
  const open = context.batches.get(row.batch_id);
  if (!open || row.status !== 'accepted' || row.topup_id !== payment.topupId) return false;
  // The service's own id names it where an entry lacks its reference.
  if (payment.reference !== null && payment.reference !== referenceOf(open.batch, row, row.generation)) return false;
  if ((await applyStatusUpdate(unit, context, open, row, payment)) === null) return false;
  if (payment.state !== 'open') context.settlementStats.noteListed(payment, row.accepted_at);
  return true;
}
