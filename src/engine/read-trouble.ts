import { withJitter } from '../core/random.ts';
import type { ReadProblem, RequestClass } from '../gateway/gateway.ts';
import type { RunnerContext } from './context.ts';
import { waitAsTold } from './told-to-wait.ts';

/** An outage is one trouble, however many reads it meets: a person is told of it again after so long. */
const toldEveryMs = 60_000;

/** Look-ups that are not answered: after how long in all a person decides; how far apart, as a share of what it has lasted, and at most. */
export const unansweredMsMax = 24 * 3_600_000;
const unansweredShare = 0.1;
const unansweredWaitMsMax = 5 * 60_000;

/** When to ask again what was not answered for so long (ms from now); `waitMs`: no sooner than that. */
export function unansweredWaitMs(elapsedMs: number, waitMs: number): number {
  return Math.round(Math.max(waitMs, Math.min(elapsedMs * unansweredShare, unansweredWaitMsMax)));
}

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
    return waitAsTold(context, requestClass, problem);
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
