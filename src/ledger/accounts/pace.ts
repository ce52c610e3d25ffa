import type { OwnUse, RateOutlook } from '../../core/time/rate-outlook.ts';
import type { ThrottleWait } from '../../core/time/throttle-wait.ts';
import type { Queryable } from '../drivers/database.ts';
import { readFact, writeFact } from '../schema/facts.ts';
import { findLease } from '../schema/leases.ts';

/** How fast an account is sending, as its runner last noted it: for whoever watches from another process. */
export interface StoredPace {
  /** That of the hold under which it was noted: it ends with it. */
  fence: number;
  /**
   * Creations used of the service's window that is under way, by whomever, where its answers tell of it; else those of
   * ours in a window's length up to now. And those that it allows in one.
   */
  used: number;
  /** Whether `used` is the service's own count. */
  isFromService: boolean;
  limit: number;
  /** What of that is known to be ours: for the program that comes after this one. */
  ownUse: OwnUse | null;
  outlook: RateOutlook;
  /** Rows that wait because their number was paid a moment ago, by batch. */
  spaced: Record<string, SpacedRows>;
  /** Whether others were seen to use the account. */
  shared: boolean;
  gate: StoredGate;
  /** The batches that will not be done in time at this pace. */
  late: Record<string, LateBatch>;
}

/** What the service's answers close the account's gate for. */
export interface StoredGate {
  throttle: ThrottleWait | null;
  /** Since when the service cannot be reached, or answers no payment (epoch ms); null if it does, or if unknown. */
  unreachableSince: number | null;
}

/**
 * A batch that will not be done in time: by when it is to be, since when it is foreseen that it will not, and when it
 * will be (epoch ms).
 */
export interface LateBatch {
  finishBy: number;
  since: number;
  doneAt: number;
}

/**
 * Rows of a batch that wait for others to the same number: how many, when the next of them may go, and the last (epoch
 * ms).
 */
export interface SpacedRows {
  rows: number;
  nextAt: number;
  lastAt: number;
}

const factName = (account: string) => `rate:${account}`;

/** What earlier versions called `isFromService` and `throttleWait`, which is a part of `gate` now. */
const earlierNames = ['isTold', 'toldToWait'];

export async function savePace(tx: Queryable, account: string, pace: StoredPace): Promise<void> {
  await writeFact(tx, factName(account), JSON.stringify(pace));
}

/** The throttle that any program has last stored for the account, over or not; null where there is none. */
export async function storedThrottleOf(db: Queryable, account: string): Promise<ThrottleWait | null> {
  return (await lastNoted(db, account))?.gate.throttle ?? null;
}

/** What was last noted to be used of a window by whichever program, over or not; null where that is not known. */
export async function storedUse(db: Queryable, account: string): Promise<OwnUse | null> {
  return (await lastNoted(db, account))?.ownUse ?? null;
}

async function lastNoted(db: Queryable, account: string): Promise<StoredPace | null> {
  const text = await readFact(db, factName(account));
  if (text === null) return null;
  const stored = JSON.parse(text);
  const [isFromService, throttle] = earlierNames.map((name) => stored[name] ?? null);
  stored.isFromService ??= isFromService;
  stored.gate ??= {
    throttle: stored.throttleWait ?? throttle,
    unreachableSince: stored.unreachableSince ?? null,
  };
  return stored as StoredPace;
}

/**
 * What whoever holds the account at `now` (epoch ms) has noted last; null where nobody holds it, or nothing was noted
 * yet.
 */
export async function storedPace(db: Queryable, account: string, now: number): Promise<StoredPace | null> {
  const lease = await findLease(db, account);
  const pace = await lastNoted(db, account);
  return lease !== null && lease.expires_at > now && pace?.fence === lease.fence ? pace : null;
}
