import { mayHaveArrived, type PaymentTerms } from '../state/earlier-payment.ts';
import { resolvedCodes } from '../state/overdue.ts';
import type { RowState } from '../state/row-state.ts';

export type Terms = Pick<PaymentTerms, 'amount' | 'currency' | 'product_id'>;

/** A payment to the row's number that was made, or may have been made, before the row is sent. */
export type EarlierPayment = SentPayment | LostPayment;

/** A payment that a row of the ledger has sent, or an earlier payment whose result that row carries. */
export interface SentPayment extends Terms {
  batch_id: string;
  run_id: string;
  row_ref: string | null;
  row_no: number;
  line: number;
  status: RowState;
  service_status: string | null;
  failure_code: string | null;
  first_sent_at: number;
  /**
   * Set if a person has released the row although its number had been paid: when the latest of those payments was sent.
   */
  known_until: number | null;
  /**
   * The service's status if it says that this failed payment has not failed, and when airbatch learned that (epoch ms).
   */
  contradicted: string | null;
  contradicted_at: number | null;
  /** The service's id of a second payment of the row that has not failed: the number may have got both. */
  second_topup_id: string | null;
}

/**
 * A payment that the service has but whose row is missing from a restored ledger. The service's list names no product.
 */
export interface LostPayment extends Pick<Terms, 'amount' | 'currency'> {
  topup_id: string;
  /** Empty, like the row ref, if the service's list does not name it. */
  run_id: string;
  row_ref: string;
  first_sent_at: number;
  /** Set if the list does not name the recipient: the payment is compared with every row. */
  isToAnyone?: true;
}

export function isLost(payment: EarlierPayment): payment is LostPayment {
  return !('batch_id' in payment);
}

export function isSent(payment: EarlierPayment): payment is SentPayment {
  return !isLost(payment);
}

/** Whether nobody could read this entry of the service's list. It may be any payment, also the row's own. */
export function isUnread(payment: LostPayment): boolean {
  return payment.amount === null;
}

/** From when on (epoch ms) a person who looks at a row's earlier payments sees this payment as made. */
export function knownSince(payment: EarlierPayment): number {
  return Math.max(payment.first_sent_at, isLost(payment) ? 0 : (payment.contradicted_at ?? 0));
}

/**
 * Whether other runs count a payment as made: it may have arrived, or the service once had it and only a person says
 * that it was not paid. It may still arrive. Within its own run, a lookup decides.
 */
export function countsAsPaid(payment: SentPayment): boolean {
  const { failure_code: code, service_status: serviceStatus } = payment;
  return mayHaveArrived(payment) || (code === resolvedCodes['not-paid'] && serviceStatus !== null);
}
