import { assert } from '../../core/basics/assert.ts';
import { idempotencyKey, parseReference } from '../../core/identity/ids.ts';
import { sameAmount } from '../../core/money/money.ts';
import { isDoubtfulEnd } from '../../core/state/earlier-payment.ts';
import type { ServicePayment } from '../../gateway/contract/gateway.ts';
import { countsAsUnpaid, noteContradiction, noteHaltOfRow } from '../../ledger/reporting/contradictions.ts';
import { findPayment } from '../../ledger/rows/payments.ts';
import { writeRefund } from '../../ledger/rows/refunds.ts';
import { findRow, type RowRecord } from '../../ledger/rows/rows.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';

/** A row that ended otherwise than the service says now. */
export interface LateDifference {
  row: RowRecord;
  why: string;
  /** Whether the row was paid besides: the recipient may have been paid twice. */
  isPaidTwice?: true;
}

/** The row of the batch under whose reference a payment stands, and whether it is the one that the row ended with. */
export interface PaidRow {
  row: RowRecord;
  isOwn: boolean;
}

/** Null where it stands under no reference of the batch's. */
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

/** A row that was refused has no payment at the service, and any that is there now is one of its own. */
export function isOwnPayment(row: RowRecord, { topupId }: ServicePayment): boolean {
  return row.topup_id === null || row.topup_id === topupId;
}

/**
 * Notes a payment beside the row's own that has not failed for sure: a row that failed has been paid by it, and any
 * other recipient may have been paid twice.
 */
export async function noteSecond(
  unit: Unit,
  { batch_id, row_no }: RowRecord,
  payment: ServicePayment,
): Promise<LateDifference | null> {
  if (payment.state === 'failed' && !isDoubtfulEnd(payment.serviceStatus)) return null;
  // The unit may have changed the row since its caller read it.
  const row = await findRow(unit.tx, batch_id, row_no);
  assert(row, 'a row that was read is in the ledger');
  const { serviceStatus, topupId } = payment;
  const why = `the service says ${serviceStatus} of another payment of the row (${topupId})`;
  if (countsAsUnpaid(row)) {
    const noted = await noteContradiction(unit, row, { why, serviceStatus, topupId, firstSentAt: null });
    return differenceBetween(row, noted, why);
  }
  const data = { why, service_status: serviceStatus, topup_id: topupId };
  const noted = await unit.noteRow(row, { second_topup_id: topupId }, 'row.contradicted', data);
  if (noted === null) await unit.append(row.batch_id, 'row.contradicted', data, row.row_no);
  await noteHaltOfRow(unit, row, topupId);
  return { row, why, isPaidTwice: true };
}

/** Null where nothing was noted. */
function differenceBetween(row: RowRecord, noted: RowRecord | null, why: string): LateDifference | null {
  if (noted === null) return null;
  return noted.second_topup_id === row.second_topup_id ? { row, why } : { row, why, isPaidTwice: true };
}

/** Notes in what the service's word differs now from how the row ended, if it does. The row stays as it ended. */
export async function noteDifference(
  unit: Unit,
  row: RowRecord,
  payment: ServicePayment,
): Promise<LateDifference | null> {
  const why = differenceOf(row, payment);
  if (why === null) return null;
  const { serviceStatus, topupId, cost: said } = payment;
  if (row.status === 'failed' && payment.state !== 'failed') {
    const contradiction = { why, serviceStatus, topupId, firstSentAt: null, cost: said };
    return differenceBetween(row, await noteContradiction(unit, row, contradiction, 'row.changed_late'), why);
  }
  const cost = said === null ? {} : { cost: said.value, cost_currency: said.currency };
  const data = { why, service_status: serviceStatus, topup_id: topupId, ...cost };
  await unit.append(row.batch_id, 'row.changed_late', data, row.row_no);
  const isRefund = payment.state === 'completed' && payment.cost !== null && sameAmount(payment.cost.value, '0');
  if (isRefund && row.refunded_at === null) {
    const refund = { refunded_at: unit.at, refund_amount: row.cost, refund_currency: row.cost_currency };
    await writeRefund(unit.tx, row, refund);
  }
  return { row, why };
}

/**
 * Notes that the service no longer has what it completed: nothing at all under the row's reference, or only another
 * payment.
 */
export async function noteGone(unit: Unit, row: RowRecord, isAll: boolean): Promise<LateDifference> {
  const found = isAll ? 'nothing' : 'only another payment';
  const why = `the row ended completed, and the service now has ${found} under its reference`;
  await unit.append(row.batch_id, 'row.changed_late', { why, topup_id: row.topup_id }, row.row_no);
  return { row, why };
}

function differenceOf(row: RowRecord, payment: ServicePayment): string | null {
  if (payment.state !== row.status && (row.status === 'completed' || row.status === 'failed')) {
    return `the row ended ${row.status}, and the service now says ${payment.serviceStatus}`;
  }
  const { cost } = payment;
  // What failed may have been charged all the same, by the service's word or a person's: it may charge nothing for it
  // in the end.
  if (row.cost === null || cost === null) return null;
  if (cost.currency === row.cost_currency && sameAmount(cost.value, row.cost)) return null;
  return `the row cost ${row.cost} ${row.cost_currency}, and the service now says ${cost.value} ${cost.currency}`;
}
