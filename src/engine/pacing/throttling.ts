import { isoTime } from '../../core/time/clock.ts';
import { longThrottleMs, storedThrottle, throttleAt, throttleMsOf } from '../../core/time/throttle-wait.ts';
import type { CreateOutcome, ReadProblem, RequestClass } from '../../gateway/contract/gateway.ts';
import { storedThrottleOf } from '../../ledger/accounts/pace.ts';
import type { RunnerContext } from '../runner/context.ts';
import { saveThroughput } from './recent-throughput.ts';

/** A 429 in answer to any request. */
type Throttled = Extract<CreateOutcome | ReadProblem, { kind: 'throttled' }>;

/**
 * The service has told the account to wait: nothing of it is sent or asked until then, however long that is (invariant
 * I10); after a day it is asked again. Resolves to how long that is (ms) once it is durable, so that a program which
 * is started again waits on: what is committed later in the same turn is durable no sooner.
 */
export async function noteThrottled(
  context: RunnerContext,
  requestClass: RequestClass,
  { retryAfterMs, evidence: { code } }: Throttled,
): Promise<number> {
  const { limiter, clock, log, account } = context;
  const now = clock.now();
  const known = throttleAt(context.throttleWait, now) ?? { since: now, at: now, saidMs: 0, until: now };
  const waitMs = throttleMsOf(retryAfterMs, now - known.since);
  limiter.hold(requestClass, waitMs);
  const isLater = now + waitMs > known.until;
  const throttle = isLater ? { at: now, saidMs: retryAfterMs, until: now + waitMs } : known;
  const { until } = throttle;
  // Rows that were under way together are told the same, and short waits one after another become a long one; another
  // long one is news.
  const isNews = until - known.until >= longThrottleMs;
  const wasLong = known.until - known.since >= longThrottleMs;
  const since = isNews ? now : known.since;
  context.throttleWait = { ...throttle, since };
  if (isNews || (!wasLong && until - since >= longThrottleMs))
    log.warn('the service tells the account to wait long, and nothing is sent until then; ask it why', {
      account,
      since: isoTime(since),
      until: isoTime(until),
      retry_after_ms: throttle.saidMs,
      code,
      request: requestClass,
    });
  if (isLater) await saveThroughput(context);
  return waitMs;
}

/** A wait that the program before this one was told of goes on. */
export async function restoreThrottle(context: RunnerContext): Promise<void> {
  const { db, clock, limiter, account } = context;
  const now = clock.now();
  const throttle = storedThrottle(await storedThrottleOf(db, account), now);
  if (throttle === null) return;
  limiter.hold('creation', throttle.until - now);
  context.throttleWait = throttle;
}

/** A payment was let through: what it was told to wait for is over. */
export function clearThrottle(context: RunnerContext): void {
  if (context.throttleWait !== null && context.clock.now() >= context.throttleWait.until) context.throttleWait = null;
}
