import { assert } from '../../core/basics/assert.ts';
import { idempotencyKey, type PaymentIdentity, paymentReference } from '../../core/identity/ids.ts';
import { sameAmount } from '../../core/money/money.ts';
import { pauseWhy, type Why } from '../../core/state/pause-texts.ts';
import type { PaymentRequest, ServicePayment } from '../../gateway/contract/gateway.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';

/** The fields of a row's batch from which the row's payments are named. */
export type PayingBatch = Pick<BatchRecord, 'account' | 'run_id'>;

function identityOf(batch: PayingBatch, row: RowRecord, generation: number): PaymentIdentity {
  assert(row.row_ref !== null, 'only a valid row, which has a row ref, is paid');
  return { account: batch.account, runId: batch.run_id, rowRef: row.row_ref, generation };
}

/** The key and the reference of a row's payment of one generation. */
export function paymentNames(
  batch: PayingBatch,
  row: RowRecord,
  generation: number,
): { key: string; reference: string } {
  const identity = identityOf(batch, row, generation);
  return { key: idempotencyKey(identity), reference: paymentReference(identity) };
}

/** Only the reference of a row's payment. */
export function referenceOf(batch: PayingBatch, row: RowRecord, generation: number): string {
  return paymentReference(identityOf(batch, row, generation));
}

/** The request that a row makes to the service. */
export function paymentRequestOf(row: RowRecord, reference: string, callbackUrl: string | null): PaymentRequest {
  assert(row.phone_number !== null && row.network_id !== null, 'a valid row has a number and a network');
  assert((row.amount === null) !== (row.product_id === null), 'a valid row has an amount or a product');
  return {
    phoneNumber: row.phone_number,
    networkId: row.network_id,
    amount: row.amount === null ? null : { value: row.amount, currency: row.currency ?? '' },
    productId: row.product_id,
    smsMessage: row.sms_message,
    reference,
    callbackUrl,
  };
}

export type Difference = `another ${string}`;

/**
 * How the service's payment differs from the row's request; null if it matches. Fields that the service leaves out are
 * not compared (V1 answers a top-up without its reference and number). Neither is a number that was forgotten.
 */
export function mismatch(row: RowRecord, reference: string, payment: ServicePayment): Difference | null {
  if (payment.reference !== null && payment.reference !== reference) return 'another reference';
  const isNamed = payment.phoneNumber !== null && row.phone_number !== null;
  if (isNamed && payment.phoneNumber !== row.phone_number) return 'another phone number';
  if (payment.productId !== null && payment.productId !== row.product_id) return 'another product';
  if (row.amount === null || payment.amount === null) return null;
  if (payment.amount.currency !== row.currency) return 'another currency';
  return sameAmount(payment.amount.value, row.amount) ? null : 'another amount';
}

/** A difference as a code: `phone_number` of "another phone number". */
export function differenceCode(difference: Difference): string {
  return difference.replace(/^another (\S+)( number)?.*$/, '$1$2').replaceAll(/\W/g, '_');
}

/** Why an account is halted: the service has another payment than the one that the row asked for. */
export function otherPayment({ batch_id, row_no }: RowRecord, difference: Difference, text: string): Why {
  return pauseWhy('PAUSE_OTHER', { row: row_no, batch: batch_id, difference: differenceCode(difference) }, text);
}
