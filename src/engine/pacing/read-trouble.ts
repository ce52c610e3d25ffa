import { withJitter } from '../../core/basics/random.ts';
import type { ReadProblem, RequestClass } from '../../gateway/contract/gateway.ts';
import type { RunnerContext } from '../runner/context.ts';
import { noteThrottled } from './throttling.ts';

/** An outage affects many reads, so it is logged at most this often. */
const throttleLogEveryMs = 60_000;

/**
 * Lookups without an answer: after how long a person decides, and the wait between two, as a share of the time so far
 * and at most.
 */
export const unansweredMsMax = 24 * 3_600_000;
const unansweredShare = 0.1;
const unansweredWaitMsMax = 5 * 60_000;

/** How long to wait (ms) before the next attempt of a read without an answer; at least `waitMs`. */
export function unansweredWaitMs(elapsedMs: number, waitMs: number): number {
  return Math.round(Math.max(waitMs, Math.min(elapsedMs * unansweredShare, unansweredWaitMsMax)));
}

/**
 * Handles a failed read and returns how long to wait (ms) before the next one: a read changes nothing, so it is
 * repeated. Rejected credentials pause the account, because a payment would be refused in the same way.
 */
export async function readTrouble(
  context: RunnerContext,
  requestClass: RequestClass,
  problem: ReadProblem,
): Promise<number> {
  if (problem.kind === 'throttled') {
    return noteThrottled(context, requestClass, problem);
  }
  const { code, message } = problem.evidence;
  if (problem.kind === 'account_blocked') {
    await context.pauseAccount(problem.reason, `${code}: ${message}`);
    return context.settings.unreachableWaitMsMax;
  }
  const now = context.clock.monotonic();
  if (now - context.readTroubleLoggedAt >= throttleLogEveryMs) {
    context.log.warn('a read got no answer; it is asked again', { code });
    context.readTroubleLoggedAt = now;
  }
  return withJitter(context.settings.readRetryMs, context.random);
}
