import type { RateOutlook } from '../../core/time/rate-outlook.ts';
import type { ThrottleWait } from '../../core/time/throttle-wait.ts';
import type { Queryable } from '../drivers/database.ts';
import { findHeldLease } from '../schema/lease-table.ts';
import { accountState } from '../schema/state-columns.ts';

/** How fast an account is sending, as its runner last stored it for other processes. */
export interface StoredPace {
  /** The lease under which it was stored. The pace is valid only during that lease. */
  fence: number;
  /**
   * Creations used in the service's current window, by all clients, if the service's answers contain that; otherwise
   * our own creations of the last window length. And the limit of a window.
   */
  used: number;
  /** Whether `used` is the service's own count. */
  isFromService: boolean;
  limit: number;
  outlook: RateOutlook;
  /** Rows that wait because their number was paid a moment ago, by batch. */
  spaced: Record<string, SpacedRows>;
  /** Whether other clients were seen to use the account. */
  shared: boolean;
  gate: StoredGate;
  /** The batches that will miss their deadlines at this pace. */
  late: Record<string, LateBatch>;
}

/** The causes in the service's answers that close the account's gate. */
export interface StoredGate {
  throttle: ThrottleWait | null;
  /** Since when the service is unreachable or answers no payment (epoch ms); null if it answers, or if unknown. */
  unreachableSince: number | null;
}

/** A batch that will miss its deadline: the deadline, since when that is forecast, and the forecast end (epoch ms). */
export interface LateBatch {
  finishBy: number;
  since: number;
  doneAt: number;
}

/**
 * Rows of a batch that wait for other rows to the same number: how many, and when the next and the last of them may be
 * sent (epoch ms).
 */
export interface SpacedRows {
  rows: number;
  nextAt: number;
  lastAt: number;
}

export async function savePace(tx: Queryable, account: string, pace: StoredPace): Promise<void> {
  await accountState.pace.write(tx, account, JSON.stringify(pace));
}

/** The last throttle that any program stored for the account, ended or not; null if there is none. */
export async function storedThrottleOf(db: Queryable, account: string): Promise<ThrottleWait | null> {
  return (await lastNoted(db, account))?.gate.throttle ?? null;
}

async function lastNoted(db: Queryable, account: string): Promise<StoredPace | null> {
  const stored = await accountState.pace.read(db, account);
  return stored === null ? null : (JSON.parse(stored) as StoredPace);
}

/**
 * The pace that the present holder of the account has stored; null if nobody holds it at `now` (epoch ms), or if the
 * holder has stored nothing yet.
 */
export async function storedPace(db: Queryable, account: string, now: number): Promise<StoredPace | null> {
  const lease = await findHeldLease(db, account, now);
  const pace = await lastNoted(db, account);
  return lease !== null && pace?.fence === lease.fence ? pace : null;
}
