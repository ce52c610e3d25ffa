import { dayMs } from './clock.ts';

/**
 * Limits are by the minute, so a normal throttle lasts about a minute. A throttle of this length needs a person's
 * attention.
 */
export const longThrottleMs = 15 * 60_000;

/** The longest throttle that is obeyed: a wrong header must not stop an account for years. */
const throttleMsMax = dayMs;

/**
 * The service counts by the minute (spec section 8.1), so an account that is throttled again and again need not wait
 * longer than this.
 */
const repeatedWaitMsMax = 60_000;

/**
 * How long a throttled account waits: as the service says, and at least as long as it has been throttled without a
 * break (`lastedMs`). A service that says "one second" each time would otherwise be asked every second, for ever.
 */
export function throttleMsOf(retryAfterMs: number, lastedMs = 0): number {
  return Math.min(Math.max(retryAfterMs, Math.min(lastedMs, repeatedWaitMsMax)), throttleMsMax);
}

/** A throttle that the service has imposed on an account. Times are epoch ms. */
export interface ThrottleWait {
  since: number;
  /** When the service last imposed it, and its own `Retry-After` (ms). */
  at: number;
  saidMs: number;
  /** When the next request is made: earlier than the service said, if it said too long. */
  until: number;
}

/** A throttle within this time after the last one continues it: no request was accepted in between. */
const sameWaitMs = 60_000;

/** The throttle at `now` (epoch ms), or the one that ended a moment ago; null if there is none. */
export function throttleAt(throttle: ThrottleWait | null, now: number): ThrottleWait | null {
  return throttle !== null && now <= throttle.until + sameWaitMs ? throttle : null;
}

/**
 * The stored throttle for a program that starts at `now` (epoch ms); null if it is over. One that is longer than the
 * limits explain is tried again a quarter of an hour after it began: a person may have had it lifted.
 */
export function storedThrottle(throttle: ThrottleWait | null, now: number): ThrottleWait | null {
  if (throttle === null) return null;
  const until = Math.min(throttle.until, throttle.at + longThrottleMs, now + longThrottleMs);
  // An older version stored it in another format.
  return until > now ? { ...throttle, until } : null;
}
