import type { Clock } from '../../core/time/clock.ts';
import { longThrottleMs, type ThrottleWait } from '../../core/time/throttle-wait.ts';
import type { ReadProblem, RequestClass } from '../../gateway/contract/gateway.ts';
import type { Limiter } from '../../limiter/limiter.ts';
import { longThrottle, makeAccountThrottle } from './account-throttle.ts';

export type Throttled = Extract<ReadProblem, { kind: 'throttled' }>;

/** The parts that a request outside the account's runner needs. It uses the account's limiter. */
export interface RequestDeps {
  limiter: Pick<Limiter, 'admit' | 'hold' | 'usage'>;
  clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Called before a wait begins; at most once a minute if one request is throttled repeatedly. */
  onWait?: ((throttle: ThrottleWait) => void) | undefined;
}

/** A service that keeps asking for waits of one second is logged at most this often. */
const throttleLogEveryMs = 60_000;

/** The outcome of a request that is not made, because the account is already in a long throttle. */
export function skippedWhileThrottled(retryAfterMs: number): Throttled {
  const message = 'the service throttles the account';
  return {
    kind: 'throttled',
    retryAfterMs,
    evidence: { httpStatus: null, code: 'throttled', message, requestId: null },
  };
}

/**
 * Makes a request outside the account's runner. If it is throttled, the whole account waits, and the request is
 * repeated. If the waits add up to a quarter of an hour, the request is given up; the account stays throttled.
 */
export async function requestWithRetryAfter<Outcome extends { kind: string }>(
  { limiter, clock, onWait = () => undefined }: RequestDeps,
  requestClass: RequestClass,
  ask: () => Promise<Outcome>,
): Promise<Outcome | Throttled> {
  const throttle = makeAccountThrottle({ limiter, clock });
  const giveUpAt = clock.monotonic() + longThrottleMs;
  let loggedAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    const until = longThrottle({ limiter, clock }, requestClass);
    if (until !== null) return skippedWhileThrottled(until - clock.now());
    const outcome = await limiter.admit(requestClass, ask);
    if (!isThrottled(outcome)) return outcome;
    const { wait, waitMs } = throttle.hold(requestClass, outcome.retryAfterMs);
    if (clock.monotonic() - loggedAt >= throttleLogEveryMs) {
      onWait(wait);
      loggedAt = clock.monotonic();
    }
    if (clock.monotonic() + Math.max(outcome.retryAfterMs, waitMs) >= giveUpAt) return outcome;
  }
}

export function isThrottled(outcome: { kind: string }): outcome is Throttled {
  return outcome.kind === 'throttled';
}
