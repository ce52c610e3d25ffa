import { assert } from '../../core/basics/assert.ts';
import { idempotencyKey, parseReference } from '../../core/identity/ids.ts';
import { sameAmount } from '../../core/money/money.ts';
import { paymentMayHaveArrived } from '../../core/state/earlier-payment.ts';
import type { EventWhy } from '../../core/state/event-whys.ts';
import type { ServicePayment } from '../../gateway/contract/gateway.ts';
import {
  countsAsUnpaid,
  noteContradiction,
  noteSecondPayment,
  secondPaymentText,
} from '../../ledger/reporting/contradictions.ts';
import {
  isRefunded,
  noteChangedCost,
  noteLateCharge,
  noteRefund,
  otherCharge,
} from '../../ledger/reporting/late-charges.ts';
import { findPayment } from '../../ledger/rows/payments.ts';
import { findRow, type RowRecord } from '../../ledger/rows/rows.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';

/** A row that ended in another way than the service now reports. */
export interface LateDifference {
  row: RowRecord;
  why: EventWhy;
  /** Whether the row has a second payment, so that the recipient may have been paid twice. */
  isPaidTwice?: true;
}

/** The row of the batch to which a payment's reference belongs, and whether the row ended with this payment. */
export interface PaidRow {
  row: RowRecord;
  isOwn: boolean;
}

/** Finds the row by the payment's reference; null if the reference belongs to no row of the batch. */
export async function rowPaidBy(
  { tx }: Unit,
  account: string,
  batchId: string,
  payment: ServicePayment,
): Promise<PaidRow | null> {
  const named = payment.reference === null ? null : parseReference(payment.reference);
  const bound = named && (await findPayment(tx, idempotencyKey({ account, ...named })));
  const row = bound?.batch_id === batchId ? await findRow(tx, bound.batch_id, bound.row_no) : null;
  return row && { row, isOwn: bound?.generation === row.generation && isOwnPayment(row, payment) };
}

/** Whether the payment is the row's own. A row that was refused has no payment id, so any payment counts as its own. */
export function isOwnPayment(row: RowRecord, { topupId }: ServicePayment): boolean {
  return row.topup_id === null || row.topup_id === topupId;
}

/**
 * Records a second payment of a row, unless it has definitively failed or is known. If the row failed, it now counts as
 * paid. Otherwise the recipient may have been paid twice.
 */
export async function noteSecond(
  unit: Unit,
  { batch_id, row_no }: RowRecord,
  payment: ServicePayment,
): Promise<LateDifference | null> {
  if (!paymentMayHaveArrived(payment)) return null;
  // The unit may have changed the row since its caller read it.
  const row = await findRow(unit.tx, batch_id, row_no);
  assert(row, 'a row that was read is in the ledger');
  if (row.second_topup_id === payment.topupId) {
    // The second payment is recorded already, and a person may have looked at it. Its cost may be new.
    await noteLateCharge(unit, row, payment);
    return null;
  }
  const why = secondPaymentText(payment);
  if (countsAsUnpaid(row)) {
    const noted = await noteContradiction(unit, row, { ...payment, why, firstSentAt: null });
    return differenceBetween(row, noted, why);
  }
  await noteSecondPayment(unit, row, payment);
  return { row, why, isPaidTwice: true };
}

/** The difference that was recorded; null if nothing was. */
function differenceBetween(row: RowRecord, noted: RowRecord | null, why: EventWhy): LateDifference | null {
  if (noted === null) return null;
  return noted.second_topup_id === row.second_topup_id ? { row, why } : { row, why, isPaidTwice: true };
}

/**
 * Called when a payment of a later generation has ended. If the service has meanwhile completed an earlier one, which
 * had failed, the row has two payments, or it counts as paid although it failed.
 */
export async function noteEarlierArrived(unit: Unit, row: RowRecord): Promise<void> {
  const other = row.generation === 1 ? null : await otherCharge(unit.tx, row);
  if (other === null) return;
  const { topup_id: topupId, cost: value, cost_currency: currency } = other;
  const payment = { topupId, serviceStatus: 'completed', cost: { value, currency }, completedAt: null };
  const why: EventWhy = 'an earlier payment of the row is completed';
  if (countsAsUnpaid(row)) await noteContradiction(unit, row, { ...payment, why, firstSentAt: null });
  else if (row.second_topup_id === null) await noteSecondPayment(unit, row, payment, why);
}

/** Records how the service's report differs from the end of the row, if it does. The row stays as it ended. */
export async function noteDifference(
  unit: Unit,
  row: RowRecord,
  payment: ServicePayment,
): Promise<LateDifference | null> {
  const why = differenceOf(row, payment);
  if (why === null) {
    // A cost that the row does not have yet is no difference.
    await noteChangedCost(unit, row, payment);
    return null;
  }
  const { serviceStatus, topupId, cost: said } = payment;
  if (row.status === 'failed' && payment.state !== 'failed') {
    const noted = await noteContradiction(unit, row, { ...payment, why, firstSentAt: null }, 'row.changed_late');
    return differenceBetween(row, noted, why);
  }
  const cost = said === null ? {} : { cost: said.value, cost_currency: said.currency };
  const data = { why, service_status: serviceStatus, topup_id: topupId, ...cost };
  await unit.append(row.batch_id, 'row.changed_late', data, row.row_no);
  await noteChangedCost(unit, row, payment);
  if (isRefunded(payment)) await noteRefund(unit, row);
  return { row, why };
}

/**
 * Records that the service no longer has a payment that it completed: it has nothing under the row's reference, or only
 * another payment.
 */
export async function noteGone(unit: Unit, row: RowRecord, isAll: boolean): Promise<LateDifference> {
  const found = isAll ? 'nothing' : 'only another payment';
  const why: EventWhy = `the row was completed, but the service now has ${found} under its reference`;
  await unit.append(row.batch_id, 'row.changed_late', { why, topup_id: row.topup_id }, row.row_no);
  return { row, why };
}

function differenceOf(row: RowRecord, payment: ServicePayment): EventWhy | null {
  if (payment.state !== row.status && (row.status === 'completed' || row.status === 'failed')) {
    return `the row ended ${row.status}, and the service now says ${payment.serviceStatus}`;
  }
  const { cost } = payment;
  // A failed payment may have been charged (the service or a person said so), and the service may later report no
  // charge.
  if (row.cost === null || cost === null) return null;
  if (cost.currency === row.cost_currency && sameAmount(cost.value, row.cost)) return null;
  return `the row cost ${row.cost} ${row.cost_currency}, and the service now says ${cost.value} ${cost.currency}`;
}
