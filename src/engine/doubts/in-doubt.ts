import { isDoubtfulEnd } from '../../core/state/earlier-payment.ts';
import type { CreateOutcome, Evidence, ServicePayment, ServicePolicy } from '../../gateway/contract/gateway.ts';
import type { PaymentRecord } from '../../ledger/rows/payments.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import { mismatch } from '../payments/payment-request.ts';

/**
 * What to do with a payment whose outcome is not known: section 3 of the reliability rules as one pure algorithm. What
 * differs between the versions of the service is in its `ServicePolicy`. A look-up always comes first; then one of
 * these.
 */
export type DoubtStep =
  /** The service has it: follow it. */
  | { do: 'adopt'; payment: ServicePayment }
  /** The service has something else, or more than one, under this reference: nothing is sent until a person looked. */
  | { do: 'halt'; why: string }
  /** Look up again at this time (epoch ms). */
  | { do: 'wait'; until: number }
  /** Send the same key and the same bytes once more. */
  | { do: 'send_again' }
  /** Nothing was, and nothing can be, paid under this key: go on under the next, not before this time (epoch ms). */
  | { do: 'next_generation'; from: number }
  /** Only a person can tell, with evidence from the service. */
  | { do: 'review'; why: string };

/** The last answer to a request to create, as kept with its payment. */
export type LastEvidence = Evidence & { kind: CreateOutcome['kind'] };

export function lastEvidence(payment: PaymentRecord): LastEvidence | null {
  return payment.last_evidence === null ? null : (JSON.parse(payment.last_evidence) as LastEvidence);
}

/** The step after a look-up that found something under the payment's reference. */
export function stepWhenFound(
  row: RowRecord,
  payment: PaymentRecord,
  found: readonly ServicePayment[],
  policy: ServicePolicy,
  now: number,
): DoubtStep {
  const difference = found.map((one) => mismatch(row, payment.reference, one)).find((one) => one !== null);
  // The reference may be somebody's number, and this is kept with every batch of the account and told to people.
  const place = `the reference of row ${payment.row_no} of batch ${payment.batch_id}`;
  if (difference) return { do: 'halt', why: `the service has ${difference} under ${place}` };
  const live = found.filter(({ state }) => state !== 'failed');
  if (live.length > 1) return { do: 'halt', why: `the service has ${live.length} payments under ${place}` };
  const mayHaveArrived = live[0] ?? found.find(({ serviceStatus }) => isDoubtfulEnd(serviceStatus));
  // The number was blocked at our first attempt, and what is there is that attempt's own failure (V1 step 6).
  const blocked = lastEvidence(payment)?.kind === 'number_blocked' && payment.open_attempts === 0;
  if (blocked && !mayHaveArrived) return { do: 'next_generation', from: now + policy.sameNumberSpacingMs };
  const adopted = mayHaveArrived ?? found.at(0);
  return adopted
    ? { do: 'adopt', payment: adopted }
    : { do: 'review', why: 'the service found nothing, and said found' };
}

/**
 * The step after a look-up that found nothing. That is no evidence of absence: the request may still be under way, and
 * a list may lag. `payment` counts the look-up that was just made.
 */
export function stepWhenNotFound(payment: PaymentRecord, policy: ServicePolicy, now: number): DoubtStep {
  if (payment.open_attempts === 0) return stepWhenRefused(payment, policy, now);
  if (now - payment.first_intent_at >= policy.resendAgeMsMax) return stepWhenAged(payment, policy, now);

  const last = lastEvidence(payment);
  const routeDown = isRouteDown(last, policy) ? policy.routeDown : undefined;
  if (!routeDown && payment.same_errors >= policy.sameErrorsMax && (last?.httpStatus ?? 0) >= 500) {
    return {
      do: 'review',
      why: `the service answered ${last?.httpStatus} ${payment.same_errors} times: perhaps a cached answer`,
    };
  }
  const elapsed = now - payment.last_intent_at;
  const { resendDelaysMs } = routeDown ?? policy;
  const resendDelay = resendDelaysMs[payment.resends] ?? resendDelaysMs.at(-1);
  const mayResend = resendDelay !== undefined && (routeDown !== undefined || payment.resends < policy.resendsMax);
  if (mayResend && elapsed >= resendDelay) return { do: 'send_again' };

  const delays = mayResend ? [...policy.lookupDelaysMs, resendDelay] : policy.lookupDelaysMs;
  const later = delays.filter((delay) => delay > elapsed);
  if (later.length > 0) return { do: 'wait', until: payment.last_intent_at + Math.min(...later) };
  return { do: 'review', why: `not found after ${payment.attempts} attempts and every look-up` };
}

/**
 * Whether the service itself said that nothing was sent on: a status above 500 comes from something in between,
 * whatever code it brings.
 */
function isRouteDown(last: LastEvidence | null, { routeDown }: ServicePolicy): boolean {
  return last?.kind === 'in_doubt' && last.code === routeDown?.code && (last.httpStatus ?? 501) <= 500;
}

/** Every attempt got a definitive no, and nothing is there. */
function stepWhenRefused(payment: PaymentRecord, policy: ServicePolicy, now: number): DoubtStep {
  const kind = lastEvidence(payment)?.kind;
  if (kind === 'exists') {
    // The reference was used, by whatever: only lasting absence shows that it was not by a payment (V1 step 5).
    const lastDelay = policy.lookupDelaysMs.at(-1) ?? 0;
    const elapsed = now - payment.last_intent_at;
    const later = policy.lookupDelaysMs.filter((delay) => delay > elapsed);
    if (elapsed < lastDelay) return { do: 'wait', until: payment.last_intent_at + Math.min(...later) };
  }
  return { do: 'next_generation', from: kind === 'number_blocked' ? now + policy.sameNumberSpacingMs : now };
}

/** Past the age at which the service still knows the key, nothing is sent under it, only looked up (invariant I4). */
function stepWhenAged(payment: PaymentRecord, policy: ServicePolicy, now: number): DoubtStep {
  const delays = policy.agedLookupDelaysMs;
  const [previous, next] = [delays[payment.aged_lookups - 1], delays[payment.aged_lookups]];
  if (next === undefined)
    return { do: 'review', why: 'the key is too old to be sent again, and the service has nothing under it' };
  return { do: 'wait', until: now + next - (previous ?? 0) };
}
