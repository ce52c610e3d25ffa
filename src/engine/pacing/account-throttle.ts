import { type Clock, dayMs } from '../../core/time/clock.ts';
import { longThrottleMs, type ThrottleWait } from '../../core/time/throttle-wait.ts';
import type { RequestClass } from '../../gateway/contract/gateway.ts';
import type { Limiter } from '../../limiter/limiter.ts';

/** The longest throttle that is obeyed: a wrong header must not stop an account for years. */
const throttleMsMax = dayMs;
/**
 * The service counts by the minute (spec section 8.1), so an account that is throttled again and again need not wait
 * longer than this.
 */
const repeatedWaitMsMax = 60_000;
/** A throttle within this time after the last one continues it: no request was accepted in between. */
const sameWaitMs = 60_000;

/** What a 429 led to. */
export interface ThrottleHold {
  wait: ThrottleWait;
  /** How long nothing is sent or asked, from now on (ms). */
  waitMs: number;
  /** Whether the account waits longer than it was known to. */
  isLater: boolean;
  /** Whether a wait that needs a person's attention begins here. */
  isNewlyLong: boolean;
}

/** The only way by which a 429 holds an account. Everybody who sends or asks for the account shares its limiter. */
export interface AccountThrottle {
  /** The service answered a request with 429, and said to wait for `saidMs`: nothing is sent or asked until then. */
  hold(requestClass: RequestClass, saidMs: number): ThrottleHold;
  /** The service answered a request otherwise: a wait that is over does not go on. */
  end(): void;
  /** Goes on with a wait that another program has stored. Returns what is left of it; null if it is over. */
  restore(stored: ThrottleWait | null): ThrottleWait | null;
  /**
   * The wait, or the one that ended a moment ago; null if there is none. A long one may come from a request that was
   * made with the same limiter, such as a lookup for a new file.
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
      // Requests that were under way together are throttled alike, and short waits one after another become a long one.
      // Another long one begins anew.
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
 * Until when (epoch ms) a class of requests is blocked, if for a quarter of an hour or more; otherwise null. Only the
 * service's own `Retry-After` blocks that long. Callers then do without an answer that is not about a payment.
 */
export function longThrottle(
  { limiter, clock }: { limiter: Pick<Limiter, 'usage'>; clock: Pick<Clock, 'now'> },
  requestClass: RequestClass,
): number | null {
  // Calculated from the remaining time: the limiter uses the machine's clock, which may be set back; the runner's is
  // not.
  const { heldMs } = limiter.usage(requestClass);
  return heldMs >= longThrottleMs ? clock.now() + heldMs : null;
}

/**
 * How long a throttled account waits: as the service says, and at least as long as it has been throttled without a
 * break (`lastedMs`). A service that says "one second" each time would otherwise be asked every second, for ever.
 */
function throttleMsOf(saidMs: number, lastedMs: number): number {
  return Math.min(Math.max(saidMs, Math.min(lastedMs, repeatedWaitMsMax)), throttleMsMax);
}

function waitAt(wait: ThrottleWait | null, now: number): ThrottleWait | null {
  return wait !== null && now <= wait.until + sameWaitMs ? wait : null;
}

/**
 * One that is longer than the limits explain is tried again a quarter of an hour after it began: a person may have had
 * it lifted.
 */
function storedWait(wait: ThrottleWait | null, now: number): ThrottleWait | null {
  if (wait === null) return null;
  const until = Math.min(wait.until, wait.at + longThrottleMs, now + longThrottleMs);
  // An older version stored it in another format.
  return until > now ? { ...wait, until } : null;
}
