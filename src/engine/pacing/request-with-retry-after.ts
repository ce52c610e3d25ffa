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

/**
 * The outcome of a request that is not made, because the account is already in a long throttle; null if it can be made.
 */
function skippedWhileThrottled(deps: RequestDeps, requestClass: RequestClass) {
  const until = longThrottle(deps, requestClass);
  if (until === null) return null;
  const evidence = {
    httpStatus: null,
    code: 'throttled',
    message: 'the service throttles the account',
    requestId: null,
  };
  return { kind: 'throttled', retryAfterMs: until - deps.clock.now(), evidence } satisfies Throttled;
}

/**
 * Makes a request of a person who waits for its answer: once, and not at all while the account is in a long throttle.
 * If the answer throttles the account, this program sends and asks nothing of the account until the throttle ends.
 */
export async function requestOnce<Outcome extends { kind: string }>(
  { limiter, clock, onWait = () => undefined }: RequestDeps,
  requestClass: RequestClass,
  ask: () => Promise<Outcome>,
): Promise<Outcome | Throttled> {
  const skipped = skippedWhileThrottled({ limiter, clock }, requestClass);
  if (skipped !== null) return skipped;
  const outcome = await limiter.admit(requestClass, ask);
  if (isThrottled(outcome))
    onWait(makeAccountThrottle({ limiter, clock }).hold(requestClass, outcome.retryAfterMs).wait);
  return outcome;
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
    const skipped = skippedWhileThrottled({ limiter, clock }, requestClass);
    if (skipped !== null) return skipped;
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

function isThrottled(outcome: { kind: string }): outcome is Throttled {
  return outcome.kind === 'throttled';
}
