import type { OwnUse, RateOutlook } from '../core/rate-outlook.ts';
import type { RateHeaders, RequestClass } from '../gateway/gateway.ts';

/**
 * Keeps an account within the service's rate limits (spec section 8). Each account has one limiter, and every request passes it.
 * Each class of requests has its own allowance; a V2 creation also counts as a write.
 */
export interface Limiter {
  /**
   * Runs `job` when `weight` (default 1) further requests of the class may be sent; the job sends at most as many as it is told:
   * where the service allows less than was configured, that is as much less of `weight`, and 1 at least.
   * Jobs of a class start in the order in which they came. Rejects with `LimiterStopped` when the limiter stops first.
   */
  admit<Result>(requestClass: RequestClass, job: (count: number) => Promise<Result>, weight?: number): Promise<Result>;
  /** Gives back `count` admitted requests of the running job that were not sent after all. */
  giveBack(requestClass: RequestClass, count: number): void;
  /**
   * So many more requests of the class are to come, as far as is known. Where the service's window has no room for all of them they are
   * spread over it, at no loss, so that whatever comes in between has its turn at once, and not in the next window.
   */
  expect(requestClass: RequestClass, count: number): void;
  /** Tells what a program before this one, that sent for the same account, has used of the server's window that may be under way yet. */
  usedBefore(requestClass: RequestClass, use: OwnUse): void;
  /** Tells what the headers of an answer of this class said. */
  observe(requestClass: RequestClass, headers: RateHeaders): void;
  /** After a 429: nothing of the account is admitted for `ms` milliseconds. */
  hold(requestClass: RequestClass, ms: number): void;
  /**
   * By our own decision: nothing of this class is admitted for `ms` milliseconds from now, while the others go on. Each decision takes the
   * place of the one before; 0 ends the rest.
   */
  rest(requestClass: RequestClass, ms: number): void;
  /** Whether such a wait of the class goes on: what a job was admitted for before it, and has not sent yet, is not to be sent now. */
  isHeld(requestClass: RequestClass): boolean;
  /** How much of each class's allowance is used, for people to read. */
  usage(requestClass: RequestClass): RateUsage;
  /** Admits nothing more; waiting jobs reject with `LimiterStopped`, running ones end by themselves. */
  stop(): Promise<void>;
}

export interface RateUsage {
  /** Requests allowed in one window. */
  limit: number;
  windowMs: number;
  /** Requests of ours admitted in the last `windowMs`. */
  used: number;
  /** What the server last said is left, or null where it says nothing. */
  remaining: number | null;
  /** Requests used of the server's window that is under way, by whomever; null where nothing is known of it. */
  usedOfWindow: number | null;
  /** What we have used of that window; null where others use the account too, or nothing is known. */
  ownUse: OwnUse | null;
  outlook: RateOutlook;
  /** For how much longer (ms) a wait as of `hold` or `rest` goes on; 0 where none does. */
  heldMs: number;
  /** Whether somebody else was seen to use the same account. */
  shared: boolean;
}

/** The limiter was stopped before the job began: the job never ran. */
export class LimiterStopped extends Error {
  override name = 'LimiterStopped';
}
