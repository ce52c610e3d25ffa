import { withJitter } from '../../core/basics/random.ts';
import type { CreateOutcome } from '../../gateway/contract/gateway.ts';
import { unusableText } from '../../gateway/transport/answers.ts';
import type { RunnerContext } from '../runner/context.ts';
import { saveThroughput } from './recent-throughput.ts';

/**
 * This many unanswered payments in a row mean an outage: if one in ten is lost by chance, that happens once in ten
 * billion.
 */
const unansweredMax = 10;
const unansweredWaitMsMin = 1_000;

/**
 * Records whether a payment was answered. After many unanswered payments in a row the account stops sending, because
 * each further payment would become a doubt. Reads continue: they may be answered.
 */
export async function noteWhetherAnswered(context: RunnerContext, outcome: CreateOutcome): Promise<void> {
  if (isUnanswered(outcome)) {
    context.unanswered += 1;
    if (isUnansweredOften(context)) await waitForService(context, context.clock.now() + outageWaitMs(context), outcome);
  } else if (outcome.kind === 'throttled') {
    // A 429 shows that something answers, perhaps only a proxy. It does not show that payments would be answered.
    if (!isUnansweredOften(context)) await noteAnswersAgain(context);
  } else if (outcome.kind !== 'not_sent') {
    // One row has tried alone and got an answer, so the others need not wait.
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
  await saveThroughput(context);
}

/** Whether payments go unanswered. If so, one row may be sent now, and the next one after a wait. */
export function restWhileUnanswered(context: RunnerContext): boolean {
  if (!isUnansweredOften(context)) return false;
  context.limiter.rest('creation', outageWaitMs(context));
  return true;
}

/**
 * Stops sending until `until` (epoch ms), and reading too if no connection was possible. Logs one warning for an
 * outage.
 */
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
  await saveThroughput(context);
}

/**
 * Whether the connection was lost, also in the middle of an answer, or something other than the service answered (a
 * redirect, an HTML page with any status). Such an outcome says nothing about the row itself.
 */
function isUnanswered(outcome: CreateOutcome): boolean {
  return outcome.kind === 'in_doubt' && !outcome.isInOrder;
}

/** Whether too many payments in a row were unanswered for it to be chance. */
export function isUnansweredOften({ unanswered }: RunnerContext): boolean {
  return unanswered >= unansweredMax;
}

/** How long to wait (ms): as long as the outage has lasted, up to a maximum. */
function outageWaitMs({ clock, unreachableSince, settings, random }: RunnerContext): number {
  const lasted = unreachableSince === null ? 0 : clock.now() - unreachableSince;
  return withJitter(Math.min(Math.max(lasted, unansweredWaitMsMin), settings.unreachableWaitMsMax), random);
}
