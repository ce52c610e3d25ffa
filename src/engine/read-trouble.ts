import { withJitter } from '../core/random.ts';
import type { ReadProblem, RequestClass } from '../gateway/gateway.ts';
import type { RunnerContext } from './context.ts';

/** An outage is one trouble, however many reads it meets: a person is told of it again after so long. */
const toldEveryMs = 60_000;

/**
 * What to do about a read that gave no answer: reads change nothing, so they are asked again. Returns after how long
 * (milliseconds). Credentials that are rejected stop the account, since a payment would be refused just so.
 */
export async function readTrouble(
  context: RunnerContext,
  requestClass: RequestClass,
  problem: ReadProblem,
): Promise<number> {
  if (problem.kind === 'throttled') {
    context.limiter.hold(requestClass, problem.retryAfterMs);
    return problem.retryAfterMs;
  }
  const { code, message } = problem.evidence;
  if (problem.kind === 'account_blocked') {
    await context.pauseAccount(problem.reason, `${code}: ${message}`);
    return context.settings.unreachableWaitMsMax;
  }
  const now = context.clock.monotonic();
  if (now - context.readTroubleToldAt >= toldEveryMs) {
    context.log.warn('a read got no answer; it is asked again', { code });
    context.readTroubleToldAt = now;
  }
  return withJitter(context.settings.readRetryMs, context.random);
}
