import { sameAmount } from '../money/money.ts';
import type { RowState } from './row-state.ts';

/** What a row asks for. */
export interface PaymentTerms {
  phone_number: string | null;
  network_id: number | null;
  amount: string | null;
  currency: string | null;
  product_id: string | null;
}

/** The most generations that one row may have, whichever files name it. */
export const generationsMax = 3;

/** Whether two rows ask for the same payment: the same person, network, and amount or product. */
export function samePayment(a: PaymentTerms, b: PaymentTerms): boolean {
  return (
    a.phone_number === b.phone_number &&
    a.network_id === b.network_id &&
    a.product_id === b.product_id &&
    a.currency === b.currency &&
    (a.amount === b.amount || (a.amount !== null && b.amount !== null && sameAmount(a.amount, b.amount)))
  );
}

/**
 * The service's final statuses (V1 states, spec section 2.5) after which a payment counts as failed but may still have
 * arrived, in whole or in part. Only a person who has asked the recipient pays such a row again.
 */
const doubtfulEnds: readonly string[] = ['TIMEOUT', 'UNDERLIVERED', 'CANCELED'];

/** Whether a payment that failed with this status of the service may still have arrived. */
export function isDoubtfulEnd(serviceStatus: string | null): boolean {
  return doubtfulEnds.includes(serviceStatus ?? '');
}

/** Whether a payment of the service may have arrived: true unless its status shows for sure that it failed. */
export function paymentMayHaveArrived({ state, serviceStatus }: { state: string; serviceStatus: string }): boolean {
  return state !== 'failed' || isDoubtfulEnd(serviceStatus);
}

/** Whether a row's payment may have arrived: true unless the service's last status shows for sure that it failed. */
export function mayHaveArrived(row: {
  status: RowState;
  service_status: string | null;
  contradicted: string | null;
}): boolean {
  return row.status !== 'failed' || row.contradicted !== null || isDoubtfulEnd(row.service_status);
}

/**
 * States in which a row may carry the service's status of an earlier payment: it waits for a person, a person has
 * skipped it, or a person has released it to be looked up again.
 */
export const bearingStates: readonly RowState[] = ['held', 'skipped', 'ready'];

/**
 * Whether a row in one of those states carries the service's status of an earlier payment of that row, which may have
 * arrived, and the time at which that was first sent. Nothing of the row's current generation was sent.
 */
export function bearsEarlierPayment(row: { status: RowState; service_status: string | null }): boolean {
  return row.service_status !== null && bearingStates.includes(row.status);
}
