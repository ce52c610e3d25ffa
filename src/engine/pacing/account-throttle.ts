import { type Clock, dayMs } from '../../core/time/clock.ts';
import { longThrottleMs, type ThrottleWait } from '../../core/time/throttle-wait.ts';
import type { RequestClass } from '../../gateway/contract/gateway.ts';
import type { Limiter } from '../../limiter/limiter.ts';

/** The longest throttle that is obeyed, so that a wrong header does not stop an account for years. */
const throttleMsMax = dayMs;
/**
 * The service counts by the minute (spec section 8.1), so an account that is throttled again and again need not wait
 * longer than this.
 */
const repeatedWaitMsMax = 60_000;
/** A throttle within this time after the last one continues it: no request was accepted in between. */
const sameWaitMs = 60_000;

/** The result of a 429. */
export interface ThrottleHold {
  wait: ThrottleWait;
  /** How long nothing is sent or asked, from now on (ms). */
  waitMs: number;
  /** Whether this 429 extends the account's wait. */
  isLater: boolean;
  /** Whether the wait becomes long with this 429, so that a person should be notified. */
  isNewlyLong: boolean;
}

/**
 * The only way in which a 429 makes an account wait. Everything that sends or asks for the account shares its limiter.
 */
export interface AccountThrottle {
  /** The service answered a request with 429 and a wait of `saidMs`: nothing is sent or asked until then. */
  hold(requestClass: RequestClass, saidMs: number): ThrottleHold;
  /** The service answered a request in another way, so a wait that has ended is not continued. */
  end(): void;
  /** Continues a wait that another program stored. Returns the remaining wait; null if it has ended. */
  restore(stored: ThrottleWait | null): ThrottleWait | null;
  /**
   * The wait, also for a moment after its end; null if there is none. A long wait may come from another request that
   * uses the same limiter, such as a lookup for a new file.
   */
  wait(): ThrottleWait | null;
}

export function makeAccountThrottle({
  limiter,
  clock,
}: {
  limiter: Pick<Limiter, 'hold' | 'usage'>;
  clock: Pick<Clock, 'now'>;
}): AccountThrottle {
  let last: ThrottleWait | null = null;
  return {
    hold(requestClass, saidMs) {
      const now = clock.now();
      const known = waitAt(last, now) ?? { since: now, at: now, saidMs: 0, until: now };
      const waitMs = throttleMsOf(saidMs, now - known.since);
      limiter.hold(requestClass, waitMs);
      const isLater = now + waitMs > known.until;
      const wait = isLater ? { at: now, saidMs, until: now + waitMs } : known;
      // Requests that ran at the same time are throttled alike, and short waits in succession add up to a long one. A
      // wait that is long by itself starts anew.
      const isLong = wait.until - known.until >= longThrottleMs;
      const wasLong = known.until - known.since >= longThrottleMs;
      const since = isLong ? now : known.since;
      last = { ...wait, since };
      return { wait: last, waitMs, isLater, isNewlyLong: isLong || (!wasLong && wait.until - since >= longThrottleMs) };
    },
    end() {
      if (last !== null && clock.now() >= last.until) last = null;
    },
    restore(stored) {
      const now = clock.now();
      last = storedWait(stored, now);
      if (last !== null) limiter.hold('creation', last.until - now);
      return last;
    },
    wait() {
      const now = clock.now();
      const until = longThrottle({ limiter, clock }, 'creation');
      if (until !== null && waitAt(last, until) === null) last = { since: now, at: now, saidMs: until - now, until };
      return waitAt(last, now);
    },
  };
}

/**
 * The time (epoch ms) until which a class of requests is blocked, if that is at least a quarter of an hour from now;
 * otherwise null. Only the service's own `Retry-After` blocks for so long. Callers then do without an answer, unless it
 * is about a payment.
 */
export function longThrottle(
  { limiter, clock }: { limiter: Pick<Limiter, 'usage'>; clock: Pick<Clock, 'now'> },
  requestClass: RequestClass,
): number | null {
  // Derived from the remaining time, because the limiter uses the machine's clock, which may be set back; the runner's
  // clock never goes back.
  const { heldMs } = limiter.usage(requestClass);
  return heldMs >= longThrottleMs ? clock.now() + heldMs : null;
}

/**
 * How long a throttled account waits: as long as the service says, and at least as long as it has been throttled
 * without a break (`lastedMs`). Otherwise a service that always says "one second" would be asked every second.
 */
function throttleMsOf(saidMs: number, lastedMs: number): number {
  return Math.min(Math.max(saidMs, Math.min(lastedMs, repeatedWaitMsMax)), throttleMsMax);
}

function waitAt(wait: ThrottleWait | null, now: number): ThrottleWait | null {
  return wait !== null && now <= wait.until + sameWaitMs ? wait : null;
}

/**
 * Limits a stored wait that is longer than the rate limits explain: a request is tried a quarter of an hour after the
 * wait began, because a person may have had the block lifted.
 */
function storedWait(wait: ThrottleWait | null, now: number): ThrottleWait | null {
  if (wait === null) return null;
  const until = Math.min(wait.until, wait.at + longThrottleMs, now + longThrottleMs);
  // An older version stored it in another format.
  return until > now ? { ...wait, until } : null;
}
