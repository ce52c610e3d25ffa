import { withJitter } from '../core/random.ts';
import { unusableText } from '../gateway/answers.ts';
import type { CreateOutcome } from '../gateway/gateway.ts';
import type { RunnerContext } from './context.ts';
import { noteOwnPace } from './own-pace.ts';

/** Payments in a row without an answer that are no chance: with one in ten unanswered, one time in ten billions. */
const unansweredMax = 10;
const unansweredWaitMsMin = 1_000;

/**
 * Takes note of whether a payment was answered. After many in a row that were not, the account waits: whatever is sent becomes a doubt.
 * Reads may be answered, and go on.
 */
export async function noteWhetherAnswered(context: RunnerContext, outcome: CreateOutcome): Promise<void> {
  if (isUnanswered(outcome)) {
    context.unanswered += 1;
    if (isUnansweredOften(context)) await waitForService(context, context.clock.now() + outageWaitMs(context), outcome);
  } else if (outcome.kind === 'throttled') {
    // Somebody is there, be it only the front: whether a payment would be answered that is let through, it does not tell.
    if (!isUnansweredOften(context)) await noteAnswersAgain(context);
  } else if (outcome.kind !== 'not_sent') {
    // What one row alone has tried, all others need not wait for any longer.
    if (isUnansweredOften(context)) context.limiter.rest('creation', 0);
    context.unanswered = 0;
    await noteAnswersAgain(context);
  }
}

async function noteAnswersAgain(context: RunnerContext): Promise<void> {
  if (context.unreachableSince === null) return;
  context.log.info('the service answers again', { unreached_ms: context.clock.now() - context.unreachableSince });
  context.unreachableSince = null;
  context.unreachableUntil = Number.NEGATIVE_INFINITY;
  await noteOwnPace(context);
}

/** Whether payments go unanswered: then one row alone may be sent now, and the next one after a wait. */
export function restWhileUnanswered(context: RunnerContext): boolean {
  if (!isUnansweredOften(context)) return false;
  context.limiter.rest('creation', outageWaitMs(context));
  return true;
}

/** Nothing is sent until then (epoch ms), nor read where nobody was there. The rows that were under way together are told of once. */
export async function waitForService(
  context: RunnerContext,
  until: number,
  { kind, evidence }: CreateOutcome,
): Promise<void> {
  const { clock, limiter } = context;
  const now = clock.now();
  if (now >= context.unreachableUntil)
    context.log.warn(`${unusableText(evidence)}; it is tried again`, {
      code: evidence.code,
      http_status: evidence.httpStatus,
    });
  context.unreachableUntil = Math.max(context.unreachableUntil, until);
  const wait = Math.max(0, until - now);
  if (kind === 'not_sent') limiter.hold('creation', wait);
  else limiter.rest('creation', wait);
  if (context.unreachableSince !== null) return;
  context.unreachableSince = now;
  await noteOwnPace(context);
}

/**
 * The connection was lost, be it within the answer, or who answered was not the service in order (a redirect, a page of HTML on whatever
 * status): this speaks of all rows alike, and of none of them.
 */
function isUnanswered(outcome: CreateOutcome): boolean {
  return outcome.kind === 'in_doubt' && !outcome.isInOrder;
}

/** Whether the last payments met no answer, too many of them for a chance. */
export function isUnansweredOften({ unanswered }: RunnerContext): boolean {
  return unanswered >= unansweredMax;
}

/** It is waited as long as it has lasted, up to the longest wait. */
function outageWaitMs({ clock, unreachableSince, settings, random }: RunnerContext): number {
  const lasted = unreachableSince === null ? 0 : clock.now() - unreachableSince;
  return withJitter(Math.min(Math.max(lasted, unansweredWaitMsMin), settings.unreachableWaitMsMax), random);
}
