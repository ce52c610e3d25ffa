import { paymentsPerPageMax } from '../../gateway/contract/gateway.ts';
import { type FollowedQuery, type FollowedSum, followedRows } from '../../ledger/rows/in-flight-rows.ts';
import type { Parts } from '../runner/context.ts';
import { type ListCursor, never } from './list-cursor.ts';

export type LookPlanNeeds = Parts<'batches' | 'clock' | 'db' | 'picker' | 'settings' | 'settlementStats'>;

/** From so many further pages on the list is a backlog. */
export const backlogPages = 4;
/** After every time that a ledger holds (epoch ms). */
export const ever = Number.MAX_SAFE_INTEGER;

export interface LookPlan {
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

export async function planLook(context: LookPlanNeeds, cursor: ListCursor): Promise<LookPlan> {
  const { settings, settlementStats, clock } = context;
  const { listReadsMs, listPatienceMs, lastReadsMsMin, lastReadsShare } = settings;
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
  const oldUntil = Math.min(cursor.covered, now - settings.youngMsMax);
  const fresh = await sumFollowed(context, { now, dueBy, after: cursor.covered, until: ever });
  const stale = await sumFollowed(context, { now, dueBy, after: oldUntil, until: cursor.covered });
  const old = await sumFollowed(context, { now, dueBy, after: never, until: oldUntil });
  const later = await sumFollowed(context, { now: dueBy, dueBy: ever, after: never, until: ever });
  const followedFor = now - (Math.min(fresh.firstDue ?? Infinity, stale.firstDue ?? Infinity) - settings.listFollowMs);
  // The last rows are waited for by somebody: where they are known to end fast, they are looked for as fast.
  const lastMs =
    usualMs === null
      ? listReadsMs
      : Math.min(listReadsMs, Math.max(lastReadsMsMin, usualMs, followedFor * lastReadsShare));
  const patienceMs = isSending && usualMs !== null ? listPatienceMs : lastMs;
  const waitedFor = (fresh.firstDue ?? Infinity) + expectedMs + patienceMs;
  const freshAt = fresh.count >= paymentsPerPageMax ? now : waitedFor;
  const staleAt = stale.count > 0 ? cursor.readAt + patienceMs : Infinity;
  const oldMs = Math.min(
    settings.oldReadsMsMax,
    Math.max(patienceMs, (now - (old.oldest ?? now)) * settings.oldReadsShare),
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

export async function sumFollowed(
  { db, batches }: Parts<'batches' | 'db'>,
  query: FollowedQuery,
): Promise<FollowedSum> {
  const least = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.min(a, b));
  let sum: FollowedSum = { count: 0, firstDue: null, oldest: null, newest: null };
  for (const batchId of batches.all().keys()) {
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
