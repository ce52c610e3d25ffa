import { AirbatchError } from '../core/errors.ts';
import type { PaymentRecord } from '../ledger/payments.ts';
import type { RunnerContext } from './context.ts';

/** A clock that was corrected by no more than this takes too little from a key's age to matter: it is not sent for the last hour of its day. */
const correctionMsMax = 10 * 60_000;

/**
 * Since when keys have an age that can be proved (epoch ms): a clock that has stepped back, behind the highest time of an earlier program,
 * does not tell how long nobody worked. Before every time where it has not.
 */
export function keysProvedFrom(wallMs: number, highestSeenMs: number): number {
  return wallMs < highestSeenMs - correctionMsMax ? highestSeenMs : Number.NEGATIVE_INFINITY;
}

/** When a key was first intended to be sent (epoch ms), as far as that can be proved: else so long ago that it is only looked up. */
export function firstIntentAt(
  { gateway, keysProvedFrom: provedFrom }: RunnerContext,
  { first_intent_at }: PaymentRecord,
  now: number,
): number {
  return first_intent_at > provedFrom
    ? first_intent_at
    : Math.min(first_intent_at, now - gateway.policy.resendAgeMsMax);
}

/**
 * Throws `FENCED` where a key has grown too old since its intent: called right before bytes reach the wire. A machine that slept in between,
 * and renewed its lease when it woke, would send under a key that the service has forgotten.
 */
export function assertYoung({ clock, gateway }: RunnerContext, { first_intent_at }: PaymentRecord): void {
  if (clock.now() - first_intent_at < gateway.policy.resendAgeMsMax) return;
  throw new AirbatchError('FENCED', 'a request stood still until its key was too old to be sent');
}
