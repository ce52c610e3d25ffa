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
 * The service's own last words (V1 states, spec section 2.5) after which a payment counts as failed, and may all the
 * same have arrived, in whole or in part: nothing but a person, who asked the recipient, pays such a row again.
 */
const doubtfulEnds: readonly string[] = ['TIMEOUT', 'UNDERLIVERED', 'CANCELED'];

/** Whether what failed with this last word of the service may all the same have arrived. */
export function isDoubtfulEnd(serviceStatus: string | null): boolean {
  return doubtfulEnds.includes(serviceStatus ?? '');
}

/** Whether a payment may have arrived: all that has not failed for sure, by the service's last status of it. */
export function mayHaveArrived(row: {
  status: RowState;
  service_status: string | null;
  contradicted: string | null;
}): boolean {
  return row.status !== 'failed' || row.contradicted !== null || isDoubtfulEnd(row.service_status);
}

/** A row that waits for a person, was put aside by one, or was let go to be looked up again. */
export const bearingStates: readonly RowState[] = ['held', 'skipped', 'ready'];

/**
 * Whether a row in one of those states bears what the service says of an earlier payment of it, which may have
 * arrived, and when that was first sent: nothing of its own generation was.
 */
export function bearsEarlierPayment(row: { status: RowState; service_status: string | null }): boolean {
  return row.service_status !== null && bearingStates.includes(row.status);
}
