import { idempotencyKey, parseReference } from '../../core/identity/ids.ts';
import { paymentsPerPageMax, type ServicePayment } from '../../gateway/contract/gateway.ts';
import { listCutShort, makePageMarks } from '../../gateway/contract/list-pages.ts';
import { findPayment } from '../../ledger/rows/payments.ts';
import { type FollowedQuery, type FollowedSum, findRow, followedRows, type RowRecord } from '../../ledger/rows/rows.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { readTrouble } from '../pacing/read-trouble.ts';
import { referenceOf } from '../payments/payment-request.ts';
import type { RunnerContext } from '../runner/context.ts';
import { never } from '../runner/list-cursor.ts';
import { applyStatusUpdate, contradictEnd, reportSecondPayment } from './apply-status-update.ts';

/** A further page is worth a request where so many rows are waited for on it. */
const rowsPerPageMin = paymentsPerPageMax / 2;
/**
 * From so many further pages on the list is a backlog, of which so many pages are asked for ahead, while each tells of
 * so many ends: nearer to the newest rows, each page holds more that have not ended and must be listed again.
 */
const backlogPages = 4;
const pagesAheadMax = 3;
const endsPerPageAheadMin = paymentsPerPageMax * (3 / 4);
/** Looks at a backlog are this far apart. */
const backlogMs = 100;
/**
 * Looks for the last rows are this far apart at least, and as far as this part of the time that one of them has been
 * waited for.
 */
export const lastLooksApartMs = 10;
const lastLooksShare = 1 / 4;
/**
 * The list is asked from this much before the oldest row that is waited for, where its times are not the ledger's own.
 */
const listMarginMs = 2_000;
/** The same where they are; a service may show whole seconds of what it compares in finer ones. */
const secondMs = 1_000;

/** After every time that a ledger holds (epoch ms). */
const ever = Number.MAX_SAFE_INTEGER;

/**
 * A row that was listed and had not ended is looked for with the others until this age; then by itself, and ever less
 * often.
 */
const youngMsMax = 24_000;
/** The latter after this part of its age: the longer it has been waited for, the less a moment more or less matters. */
const ageShare = 1 / 8;

interface LookPlan {
  /** When the list is worth a look for these rows, as far as what is known now goes (epoch ms). */
  youngAt: number;
  oldAt: number;
  /** When that may have changed though nothing rings; `Infinity` where nothing is followed. */
  askAgainAt: number;
  /** Rows that can be expected to have ended and were never listed; were listed lately; and those that take long. */
  fresh: FollowedSum;
  stale: FollowedSum;
  old: FollowedSum;
  /** Old rows were created at the service no later than this. */
  oldUntil: number;
  /** Rows whose `next_action_at` is no later can be expected to have ended. */
  dueBy: number;
  isSending: boolean;
  /** Looks are so far apart (ms): hardly at all where each finds pages of ended rows. */
  apartMs: number;
}

/**
 * Reads the account's list where that is worth it: when about a page of rows can be expected to have ended, or one of
 * them has been expected to for a while. Returns when to ask again (epoch ms): `Infinity` where nothing is followed.
 */
export async function followList(context: RunnerContext): Promise<number> {
  const { listCursor: mark, clock } = context;
  const plan = await planLook(context);
  const now = clock.now();
  const notBefore = Math.max(mark.troubleUntil, mark.lookedAt + plan.apartMs);
  if (notBefore > now) return Math.max(notBefore, plan.askAgainAt);
  let troubleMs = 0;
  if (plan.oldAt <= now) {
    troubleMs = await look(context, plan, { from: plan.old.oldest ?? never, until: plan.oldUntil });
    mark.oldReadAt = clock.now();
  }
  if (plan.youngAt <= now && troubleMs === 0) {
    const from = Math.min(plan.stale.oldest ?? ever, plan.fresh.oldest ?? ever);
    troubleMs = await look(context, plan, { from, until: ever });
    mark.readAt = clock.now();
  }
  if (plan.oldAt > now && plan.youngAt > now) return plan.askAgainAt;
  mark.lookedAt = clock.now();
  mark.troubleUntil = mark.lookedAt + troubleMs;
  const next = await planLook(context);
  return Math.max(mark.troubleUntil, mark.lookedAt + next.apartMs, next.askAgainAt);
}

async function planLook(context: RunnerContext): Promise<LookPlan> {
  const { settings, settlementStats, clock, listCursor: mark } = context;
  const { pollMsMin, listPatienceMs } = settings;
  const now = clock.now();
  const isSending = (await context.picker.available(1)) > 0;
  const usualMs = settlementStats.usualMs();
  // While more is sent anyway, a lost webhook may be found a little later; one that is only slow to come is worth a
  // moment to the end.
  const lateMs = isSending ? settings.webhookGraceMs : settings.lastWebhookGraceMs;
  const graceMs = settlementStats.webhooksArrive() ? lateMs : 0;
  // By our own clock: a followed row is due by itself so long after its acceptance.
  const expectedMs = (usualMs ?? 0) + graceMs - settings.listFollowMs;
  const dueBy = now - expectedMs;
  const oldUntil = Math.min(mark.covered, now - youngMsMax);
  const fresh = await sumFollowed(context, { now, dueBy, after: mark.covered, until: ever });
  const stale = await sumFollowed(context, { now, dueBy, after: oldUntil, until: mark.covered });
  const old = await sumFollowed(context, { now, dueBy, after: never, until: oldUntil });
  const later = await sumFollowed(context, { now: dueBy, dueBy: ever, after: never, until: ever });
  const followedFor = now - (Math.min(fresh.firstDue ?? Infinity, stale.firstDue ?? Infinity) - settings.listFollowMs);
  // The last rows are waited for by somebody: where they are known to end fast, they are looked for as fast.
  const lastMs =
    usualMs === null
      ? pollMsMin
      : Math.min(pollMsMin, Math.max(lastLooksApartMs, usualMs, followedFor * lastLooksShare));
  const patienceMs = isSending && usualMs !== null ? listPatienceMs : lastMs;
  const waitedFor = (fresh.firstDue ?? Infinity) + expectedMs + patienceMs;
  const freshAt = fresh.count >= paymentsPerPageMax ? now : waitedFor;
  const staleAt = stale.count > 0 ? mark.readAt + patienceMs : Infinity;
  const oldMs = Math.min(settings.pollMsMax, Math.max(patienceMs, (now - (old.oldest ?? now)) * ageShare));
  const oldAt = old.count > 0 ? mark.oldReadAt + oldMs : Infinity;
  const youngAt = Math.min(freshAt, staleAt);
  const laterAt = (later.firstDue ?? Infinity) + expectedMs + patienceMs;
  return {
    youngAt,
    oldAt,
    askAgainAt: Math.min(youngAt, oldAt, laterAt),
    fresh,
    stale,
    old,
    oldUntil,
    dueBy,
    isSending,
    apartMs: Math.min(
      isSending ? pollMsMin : lastMs,
      fresh.count >= backlogPages * paymentsPerPageMax ? backlogMs : Infinity,
    ),
  };
}

async function sumFollowed({ db, batches }: RunnerContext, query: FollowedQuery): Promise<FollowedSum> {
  const least = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.min(a, b));
  let sum: FollowedSum = { count: 0, firstDue: null, oldest: null, newest: null };
  for (const batchId of batches.keys()) {
    const more = await followedRows(db, batchId, query);
    sum = {
      count: sum.count + more.count,
      firstDue: least(sum.firstDue, more.firstDue),
      oldest: least(sum.oldest, more.oldest),
      newest: more.newest === null ? sum.newest : Math.max(sum.newest ?? never, more.newest),
    };
  }
  return sum;
}

/**
 * Reads the list from the row on that was created at `from`, and as far as rows of the plan are waited for, created by
 * `until`; what lies between them is left out. Returns how long to wait after trouble (ms), else 0.
 */
async function look(
  context: RunnerContext,
  { fresh, dueBy, isSending }: LookPlan,
  { from, until }: { from: number; until: number },
): Promise<number> {
  const { listCursor: mark, clock } = context;
  const { list } = context.gateway;
  const listedBefore = mark.covered;
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
      troubleMs = await readTrouble(context, 'read', outcome);
      break;
    }
    // An open payment tells nothing new, so only the ended ones (and strange ones) cost a look into the ledger.
    const news = outcome.payments.filter(({ state, unknownStatus }) => state !== 'open' || unknownStatus);
    if (news.length > 0) {
      const written = context.committer.commit(async (unit) => {
        for (const payment of news) await writeNews(unit, context, payment);
      });
      // Its failure is told below, not as one that nobody handles.
      written.catch(() => undefined);
      writing.push(written);
    }
    const listedTo = Math.max(never, ...outcome.payments.map(({ createdAt }) => createdAt ?? never));
    mark.covered = Math.max(mark.covered, listedTo);
    if (!outcome.hasNext) {
      // What the list does not show yet is no reason to read it again at once.
      mark.covered = Math.max(mark.covered, fresh.newest ?? never);
      break;
    }
    // A service that always says that there is more would be read for ever.
    if (!isNew(outcome)) {
      troubleMs = await readTrouble(context, 'read', listCutShort);
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

/**
 * How many of the payments are probably of rows that are waited for. To ask the ledger would take longer than to read
 * the next page.
 */
function waitedFor(
  { batches, settlementStats }: RunnerContext,
  news: readonly ServicePayment[],
  listedBefore: number,
): number {
  if (settlementStats.webhooksArrive()) return 0;
  const runIds = new Set([...batches.values()].map(({ batch }) => batch.run_id));
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
  context: RunnerContext,
  payments: readonly ServicePayment[],
  { at, dueBy }: { at: number; dueBy: number },
): Promise<boolean> {
  const now = context.clock.now();
  const { count } = await sumFollowed(context, { now, dueBy, after: at - 1, until: at });
  if (count === 0) return false;
  const shown = payments.filter(({ createdAt, topupId }) => createdAt === at && context.followed.get(topupId) !== null);
  return count > shown.length;
}

function marginMs({ settlementStats }: RunnerContext, from: number): number {
  if (!settlementStats.sameTimes()) return listMarginMs;
  return from % secondMs === 0 ? secondMs : 0;
}

/** Writes what the service says of a listed payment, if it is the one of a row that is followed. */
async function writeNews(unit: Unit, context: RunnerContext, payment: ServicePayment): Promise<void> {
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
  context: RunnerContext,
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
