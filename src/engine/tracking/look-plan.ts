import { paymentsPerPageMax } from '../../gateway/contract/gateway.ts';
import { type FollowedQuery, type FollowedSum, followedRows } from '../../ledger/rows/in-flight-rows.ts';
import type { Parts } from '../runner/context.ts';
import { type ListCursor, never } from './list-cursor.ts';

export type LookPlanNeeds = Parts<'batches' | 'clock' | 'db' | 'gateway' | 'picker' | 'settings' | 'settlementStats'>;

/** With this many further pages, the list is a backlog. */
export const backlogPages = 4;
/** A time after all times in a ledger (epoch ms). */
export const ever = Number.MAX_SAFE_INTEGER;

export interface LookPlan {
  /** When a read of the list is worth a request for these rows, as far as is known now (epoch ms). */
  youngAt: number;
  oldAt: number;
  /** When to plan again even without a wake-up; `Infinity` if no row is followed. */
  askAgainAt: number;
  /**
   * Rows that should have ended: those that were never listed, those that were listed recently, and those that take
   * long.
   */
  fresh: FollowedSum;
  stale: FollowedSum;
  old: FollowedSum;
  /** Old rows were created at the service up to this time. */
  oldUntil: number;
  /** Rows whose `next_action_at` is up to this time should have ended. */
  dueBy: number;
  isSending: boolean;
  /** The least time between two reads (ms); it is very short while each read finds pages of ended rows. */
  apartMs: number;
}

export async function planLook(context: LookPlanNeeds, cursor: ListCursor): Promise<LookPlan> {
  const { settings, settlementStats, clock, gateway } = context;
  const { listReadsMs, listPatienceMs, lastReadsMsMin, lastReadsShare } = settings;
  const now = clock.now();
  // Payments are created by the service's clock, which may be hours away from ours.
  const serviceNow = gateway.serviceTime() ?? now;
  const isSending = (await context.picker.available(1)) > 0;
  const usualMs = settlementStats.usualMs();
  // While rows are being sent, a lost webhook may be noticed somewhat later. For the last rows, only a slightly late
  // webhook is worth waiting for.
  const lateMs = isSending ? settings.webhookGraceMs : settings.lastWebhookGraceMs;
  const graceMs = settlementStats.webhooksArrive() ? lateMs : 0;
  // By our own clock: a followed row is due for a read of its own this long after its acceptance.
  const expectedMs = (usualMs ?? 0) + graceMs - settings.listFollowMs;
  const dueBy = now - expectedMs;
  const oldUntil = Math.min(cursor.covered, serviceNow - settings.youngMsMax);
  const [fresh, stale, old, later] = await sumFollowed(context, [
    { now, dueBy, after: cursor.covered, until: ever },
    { now, dueBy, after: oldUntil, until: cursor.covered },
    { now, dueBy, after: never, until: oldUntil },
    { now: dueBy, dueBy: ever, after: never, until: ever },
  ]);
  const followedFor = now - (Math.min(fresh.firstDue ?? Infinity, stale.firstDue ?? Infinity) - settings.listFollowMs);
  // Somebody waits for the last rows. If payments usually settle fast, these are read as fast.
  const lastMs =
    usualMs === null
      ? listReadsMs
      : Math.min(listReadsMs, Math.max(lastReadsMsMin, usualMs, followedFor * lastReadsShare));
  // A webhook was waited for already.
  const patienceMs = isSending ? Math.max(listReadsMs, listPatienceMs - graceMs) : lastMs;
  const waitedFor = (fresh.firstDue ?? Infinity) + expectedMs + patienceMs;
  const freshAt = fresh.count >= paymentsPerPageMax ? now : waitedFor;
  const staleAt = stale.count > 0 ? cursor.youngReadAt + patienceMs : Infinity;
  const oldMs = Math.min(
    settings.oldReadsMsMax,
    Math.max(patienceMs, (serviceNow - (old.oldest ?? serviceNow)) * settings.oldReadsShare),
  );
  const oldAt = old.count > 0 ? cursor.oldReadAt + oldMs : Infinity;
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
      isSending ? listReadsMs : lastMs,
      fresh.count >= backlogPages * paymentsPerPageMax ? settings.backlogReadsMs : Infinity,
    ),
  };
}

/** For each query, the sum over all open batches. */
export async function sumFollowed<const Queries extends readonly FollowedQuery[]>(
  { db, batches }: Parts<'batches' | 'db'>,
  queries: Queries,
): Promise<{ [Place in keyof Queries]: FollowedSum }> {
  let sums = queries.map((): FollowedSum => ({ count: 0, firstDue: null, oldest: null, newest: null }));
  for (const batchId of batches.all().keys()) {
    const more = await followedRows(db, batchId, queries);
    sums = sums.map((sum, place) => added(sum, more[place] as FollowedSum));
  }
  return sums as { [Place in keyof Queries]: FollowedSum };
}

function added(sum: FollowedSum, more: FollowedSum): FollowedSum {
  const least = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.min(a, b));
  return {
    count: sum.count + more.count,
    firstDue: least(sum.firstDue, more.firstDue),
    oldest: least(sum.oldest, more.oldest),
    newest: more.newest === null ? sum.newest : Math.max(sum.newest ?? never, more.newest),
  };
}
