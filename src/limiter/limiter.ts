import type { Clock } from '../core/time/clock.ts';
import type { RateOutlook } from '../core/time/rate-outlook.ts';
import type { RateHeaders, RequestClass } from '../gateway/contract/gateway.ts';
import type { LimitSettings } from './classes.ts';

/**
 * Keeps an account within the service's rate limits (spec section 8). Each account has one limiter, and every request
 * passes through it. Each class of requests has its own allowance; a V2 catalog lookup also counts as a read.
 */
export interface Limiter {
  /**
   * Runs `job` when `weight` (default 1) more requests of the class may be sent. The job may send `count` of them: all
   * of `weight`, or fewer (at least 1) if the service allows less than was configured. Jobs of a class start in the
   * order in which they were queued. Rejects with `LimiterStopped` if the limiter stops first.
   */
  admit<Result>(requestClass: RequestClass, job: LimitedJob<Result>, weight?: number): Promise<Result>;
  /**
   * Announces how many more requests of the class are expected. If the service's window has no room for all of them,
   * the limiter spreads them over the window. That costs nothing, and a request that arrives in between starts at once
   * instead of waiting for the next window.
   */
  expect(requestClass: RequestClass, count: number): void;
  /**
   * Reports requests that earlier programs have sent for the same account, the oldest first: `count` of them ended
   * `agoMs` milliseconds ago. Call it before the first request.
   */
  usedBefore(requestClass: RequestClass, ended: readonly { agoMs: number; count: number }[]): void;
  /** Reports the rate headers of an answer of this class. */
  observe(requestClass: RequestClass, headers: RateHeaders): void;
  /** After a 429: nothing of the account is admitted for `ms` milliseconds. */
  hold(requestClass: RequestClass, ms: number): void;
  /**
   * Stops admitting requests of this class for `ms` milliseconds; other classes continue. A later call replaces an
   * earlier one; 0 ends the rest.
   */
  rest(requestClass: RequestClass, ms: number): void;
  /**
   * Whether `hold` or `rest` blocks the class now; without a class, whether `hold` blocks the account. A job that was
   * admitted earlier must not send while it does.
   */
  isHeld(requestClass?: RequestClass): boolean;
  /** How much of the class's allowance is used, for people and forecasts. */
  usage(requestClass: RequestClass): RateUsage;
  /** Admits nothing more. Waiting jobs reject with `LimiterStopped`; running jobs finish. */
  stop(): Promise<void>;
}

/** Sends up to `count` requests. `release` returns admissions that the job will not use. */
export type LimitedJob<Result> = (count: number, release: (unused: number) => void) => Promise<Result>;

export interface LimiterOptions {
  version: 'v2' | 'v1';
  /** Limits that differ from the version's defaults (enterprise plans). `Infinity` means no limit. */
  limits?: LimitSettings | undefined;
}

export interface LimiterDeps {
  clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>;
  /** Called when the service's headers show another limit than the configured one, and than before. */
  onLimitDiffers?: ((requestClass: RequestClass, configured: number, seen: number) => void) | undefined;
}

export interface RateUsage {
  /** Requests allowed in one window. */
  limit: number;
  windowMs: number;
  /** Our requests that were admitted in the last `windowMs`. */
  used: number;
  /** Requests that all clients have used in the server's current window; null if unknown. */
  usedOfWindow: number | null;
  outlook: RateOutlook;
  /** How much longer (ms) `hold` or `rest` blocks the class; 0 if neither does. */
  heldMs: number;
  /** Whether another client was seen to use the same account. */
  shared: boolean;
}

/** The limiter was stopped before the job began: the job never ran. */
export class LimiterStopped extends Error {
  override name = 'LimiterStopped';
}
