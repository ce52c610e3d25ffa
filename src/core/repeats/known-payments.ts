import { mayHaveArrived, type PaymentTerms } from '../state/earlier-payment.ts';
import { resolvedCodes } from '../state/overdue.ts';
import type { RowState } from '../state/row-state.ts';

/** A payment that another batch sent. */
export interface OtherPayment extends Terms {
  batch_id: string;
  run_id: string;
  row_ref: string | null;
  row_no: number;
  status: RowState;
  service_status: string | null;
  failure_code: string | null;
  first_sent_at: number;
  /**
   * Of a row that was held for earlier payments, and that a person has let go: when the last of them was sent (epoch
   * ms).
   */
  told_until: number | null;
  /**
   * The service's status, where it says of a payment that failed here that it has not failed, and since when that is
   * known (epoch ms).
   */
  contradicted: string | null;
  contradicted_at: number | null;
}

/** From when on (epoch ms) a person who is shown a row's earlier payments is shown this one as one that counts. */
export function countsSince(payment: OtherPayment | LostPayment): number {
  return Math.max(payment.first_sent_at, isLost(payment) ? 0 : (payment.contradicted_at ?? 0));
}

/**
 * Whether other runs count a payment as sent: what may have arrived, and what the service once had, of which only a
 * person says that it was not paid. It may still come; within its own run a look-up decides that.
 */
export function countsAsSent(payment: OtherPayment): boolean {
  const { failure_code: code, service_status: serviceStatus } = payment;
  return mayHaveArrived(payment) || (code === resolvedCodes['not-paid'] && serviceStatus !== null);
}

/**
 * A payment that the service has, and of which a restored ledger has lost the row. Its list tells no product: that has
 * an amount, too.
 */
export interface LostPayment extends Pick<Terms, 'amount' | 'currency'> {
  topup_id: string;
  /** Empty, as the row ref, where the service's list does not tell. */
  run_id: string;
  row_ref: string;
  first_sent_at: number;
  /** Where the list does not tell to whom: it counts as sent to whoever is asked about. */
  isToAnyone?: true;
}

export function isLost(payment: OtherPayment | LostPayment): payment is LostPayment {
  return !('batch_id' in payment);
}

export function isSent(payment: OtherPayment | LostPayment): payment is OtherPayment {
  return !isLost(payment);
}

/** Whether it is of the service's list where nobody could read it: then it may be any payment, also the row's own. */
export function isUnread(payment: LostPayment): boolean {
  return payment.amount === null;
}

export type Terms = Pick<PaymentTerms, 'amount' | 'currency' | 'product_id'>;
