import { type DoubtWhy, doubtWhy } from '../../core/state/doubt-texts.ts';
import { isDoubtfulEnd } from '../../core/state/earlier-payment.ts';
import type { CreateOutcome, Evidence, ServicePayment, ServicePolicy } from '../../gateway/contract/gateway.ts';
import type { PaymentRecord } from '../../ledger/rows/payments.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import { type Difference, differenceCode, mismatch } from '../payments/payment-request.ts';

/**
 * What to do with a payment whose outcome is unknown: section 3 of reliability.md as a pure function. The differences
 * between the service's versions are in `ServicePolicy`. A lookup always comes first, and then one of these steps.
 */
export type DoubtStep =
  /** The service has the payment: follow it. */
  | { do: 'adopt'; payment: ServicePayment }
  /** The service has another payment, or several, under this reference: nothing is sent until a person has looked. */
  | { do: 'halt'; why: DoubtWhy }
  /** Look up again at this time (epoch ms). */
  | { do: 'wait'; until: number }
  /** Send the same key and the same bytes again. */
  | { do: 'send_again' }
  /**
   * Nothing was paid under this key, and nothing can be: continue under the next key, not before this time (epoch ms).
   */
  | { do: 'next_generation'; from: number }
  /** Only a person can decide, with evidence from the service. */
  | { do: 'escalate'; why: DoubtWhy };

/** The outcome of the last request to create, as stored with its payment. */
export type LastEvidence = Evidence & { kind: CreateOutcome['kind'] };

export function lastEvidence(payment: PaymentRecord): LastEvidence | null {
  return payment.last_evidence === null ? null : (JSON.parse(payment.last_evidence) as LastEvidence);
}

/** The step after a lookup that found payments under the reference. */
export function stepWhenFound(
  row: RowRecord,
  payment: PaymentRecord,
  found: readonly ServicePayment[],
  policy: ServicePolicy,
  now: number,
): DoubtStep {
  const difference = found.map((one) => mismatch(row, payment.reference, one)).find((one) => one !== null);
  // The text leaves out the reference, which may be a phone number: it is stored with every batch of the account and
  // shown to people.
  const place = `the reference of row ${payment.row_no} of batch ${payment.batch_id}`;
  const { row_no: no, batch_id: batch } = payment;
  if (difference) return { do: 'halt', why: otherPayment(no, batch, difference, place) };
  const live = found.filter(({ state }) => state !== 'failed');
  if (live.length > 1) {
    const { length: count } = live;
    const text = `the service has ${count} payments under ${place}`;
    return { do: 'halt', why: doubtWhy('DOUBT_SEVERAL', { count, row: no, batch }, text) };
  }
  const mayHaveArrived = live[0] ?? found.find(({ serviceStatus }) => isDoubtfulEnd(serviceStatus));
  // The first attempt was refused because the number was blocked, and what the lookup found is the failed payment of
  // that attempt (V1 step 6).
  const blocked = lastEvidence(payment)?.kind === 'number_blocked' && payment.open_attempts === 0;
  if (blocked && !mayHaveArrived) return { do: 'next_generation', from: now + policy.sameNumberSpacingMs };
  const adopted = mayHaveArrived ?? found.at(0);
  return adopted
    ? { do: 'adopt', payment: adopted }
    : { do: 'escalate', why: doubtWhy('DOUBT_UNFOUND', {}, 'the service found nothing, and said found') };
}

function otherPayment(row: number, batch: string, difference: Difference, place: string): DoubtWhy {
  const text = `the service has ${difference} under ${place}`;
  return doubtWhy('DOUBT_OTHER', { row, batch, difference: differenceCode(difference) }, text);
}

/**
 * The step after a lookup that found nothing. That does not prove absence: the request may still be running, and a list
 * may lag. `payment` counts this lookup.
 */
export function stepWhenNotFound(payment: PaymentRecord, policy: ServicePolicy, now: number): DoubtStep {
  if (payment.open_attempts === 0) return stepWhenRefused(payment, policy, now);
  if (now - payment.first_intent_at >= policy.resendAgeMsMax) return stepWhenAged(payment, policy, now);

  const last = lastEvidence(payment);
  const routeDown = isRouteDown(last, policy) ? policy.routeDown : undefined;
  if (!routeDown && payment.same_errors >= policy.sameErrorsMax && (last?.httpStatus ?? 0) >= 500) {
    const { same_errors: times } = payment;
    const text = `the service answered ${last?.httpStatus} ${times} times: perhaps a cached answer`;
    return {
      do: 'escalate',
      why: doubtWhy('DOUBT_SAME_ERROR', { http_status: last?.httpStatus ?? '', times }, text),
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
  const { attempts: times } = payment;
  const text = `not found after ${times} attempts and every look-up`;
  return { do: 'escalate', why: doubtWhy('DOUBT_NOT_FOUND', { times }, text) };
}

/**
 * Whether the service itself reported that it forwarded nothing. A status above 500 comes from a proxy or gateway in
 * between, whatever code it carries.
 */
function isRouteDown(last: LastEvidence | null, { routeDown }: ServicePolicy): boolean {
  return last?.kind === 'in_doubt' && last.code === routeDown?.code && (last.httpStatus ?? 501) <= 500;
}

/** The step if every attempt was definitively refused and the lookup found nothing. */
function stepWhenRefused(payment: PaymentRecord, policy: ServicePolicy, now: number): DoubtStep {
  const kind = lastEvidence(payment)?.kind;
  if (kind === 'exists') {
    // The reference was used before. Only a lasting absence shows that no payment used it (V1 step 5).
    const lastDelay = policy.lookupDelaysMs.at(-1) ?? 0;
    const elapsed = now - payment.last_intent_at;
    const later = policy.lookupDelaysMs.filter((delay) => delay > elapsed);
    if (elapsed < lastDelay) return { do: 'wait', until: payment.last_intent_at + Math.min(...later) };
  }
  return { do: 'next_generation', from: kind === 'number_blocked' ? now + policy.sameNumberSpacingMs : now };
}

/** Once the service may have forgotten the key, nothing is sent under it; it is only looked up (invariant I4). */
function stepWhenAged(payment: PaymentRecord, policy: ServicePolicy, now: number): DoubtStep {
  const delays = policy.agedLookupDelaysMs;
  const [previous, next] = [delays[payment.aged_lookups - 1], delays[payment.aged_lookups]];
  if (next === undefined)
    return {
      do: 'escalate',
      why: doubtWhy('DOUBT_KEY_OLD', {}, 'the key is too old to be sent again, and the service has nothing under it'),
    };
  return { do: 'wait', until: now + next - (previous ?? 0) };
}
