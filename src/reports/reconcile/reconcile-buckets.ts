import { parseReference } from '../../core/identity/ids.ts';
import { sameAmount } from '../../core/money/money.ts';
import type { ServicePayment } from '../../gateway/contract/gateway.ts';
import { isRefunded } from '../../ledger/reporting/late-charges.ts';
import type { BoundPayment } from '../../ledger/reporting/reconciliations.ts';

/**
 * Each payment of the ledger and of the service is in exactly one of these buckets. What the ledger sent without
 * creating a payment is in `no_payment`.
 */
export const buckets = [
  'matched',
  'no_payment',
  'status_differs',
  'amount_differs',
  'cost_differs',
  'refunded_later',
  'duplicated',
  'ledger_only',
  'service_only_other_program',
  'service_only_unknown',
  'unreadable',
] as const;
export type Bucket = (typeof buckets)[number];

/** What each bucket means. `nextOf` says what to do about an item. */
export const bucketMeanings: Record<Bucket, string> = {
  matched: 'Ledger and service agree.',
  no_payment: 'Neither side has a payment: the service refused it, or it never arrived.',
  status_differs: 'The service reports another outcome than the ledger.',
  amount_differs: 'The service paid another amount or another number than the row says.',
  cost_differs: 'The service charged another cost than the ledger has.',
  refunded_later: 'It was completed. Later the service marked it as failed, or refunded it.',
  duplicated: 'The service has more than one payment for one row that has not failed.',
  ledger_only: 'airbatch sent it, and the service does not have it.',
  service_only_other_program: 'Another program paid it from this account: its reference is not one of ours.',
  service_only_unknown: 'Its reference looks like one of ours, but this ledger does not have it.',
  unreadable: 'The service lists it in a form that airbatch cannot read: its amount is not known.',
};

/** Whether somebody has to look at the items of a bucket. */
export function isOpen(bucket: Bucket): boolean {
  return bucket !== 'matched' && bucket !== 'no_payment';
}

/** The number of payments on either side. */
export function paymentsIn(counts: Readonly<Record<Bucket, number>>): number {
  return buckets.reduce((sum, bucket) => (bucket === 'no_payment' ? sum : sum + counts[bucket]), 0);
}

/** The bucket of a payment that the service has. `bound` is the ledger's payment with the same reference, if any. */
export function bucketOf(payment: ServicePayment, bound: BoundPayment | null, livePayments: number): Bucket {
  if (!bound) {
    const ours = payment.reference !== null && parseReference(payment.reference) !== null;
    return ours ? 'service_only_unknown' : 'service_only_other_program';
  }
  if (livePayments > 1 && payment.state !== 'failed') return 'duplicated';
  if (paysSomethingElse(payment, bound)) return 'amount_differs';
  const isFormer = bound.generation < bound.row_generation;
  // The ledger starts a generation only after the one before it has failed.
  if (isFormer) return payment.state === 'failed' ? 'matched' : 'status_differs';
  if (bound.topup_id !== null && bound.topup_id !== payment.topupId) {
    return payment.state === 'failed' ? 'matched' : 'duplicated';
  }
  if (bound.status === 'completed' && payment.state === 'failed') return 'refunded_later';
  if (stateHere(bound) !== payment.state) return 'status_differs';
  if (!costDiffers(payment, bound)) return 'matched';
  // A refund does not change the status; it shows in a cost of zero.
  return bound.status === 'completed' && isRefunded(payment) ? 'refunded_later' : 'cost_differs';
}

/**
 * The bucket of a payment that the ledger has sent and the service does not have. If the service refused it, it was
 * never created.
 */
export function bucketOfAbsent(bound: BoundPayment): Bucket {
  const { status, topup_id, open_attempts } = bound;
  const isFormer = bound.generation < bound.row_generation;
  // A row that waits again, or was ended without being sent: every attempt was refused for certain.
  const isUnsent = ['held', 'skipped', 'cancelled'].includes(status) && open_attempts === 0;
  const wasRefused = topup_id === null && (status === 'failed' || isUnsent);
  return isFormer || wasRefused || status === 'ready' ? 'no_payment' : 'ledger_only';
}

function stateHere({ status }: BoundPayment): ServicePayment['state'] {
  return status === 'completed' || status === 'failed' ? status : 'open';
}

function paysSomethingElse(payment: ServicePayment, bound: BoundPayment): boolean {
  // The number of a row may have been forgotten.
  const isNamed = payment.phoneNumber !== null && bound.phone_number !== null;
  if (isNamed && payment.phoneNumber !== bound.phone_number) return true;
  if (payment.productId !== null && payment.productId !== bound.product_id) return true;
  if (payment.amount === null || bound.amount === null) return false;
  return payment.amount.currency !== bound.currency || !sameAmount(payment.amount.value, bound.amount);
}

function costDiffers(payment: ServicePayment, bound: BoundPayment): boolean {
  if (payment.cost === null || bound.cost === null) return false;
  if (sameAmount(payment.cost.value, '0') && sameAmount(bound.cost, '0')) return false;
  return payment.cost.currency !== bound.cost_currency || !sameAmount(payment.cost.value, bound.cost);
}
