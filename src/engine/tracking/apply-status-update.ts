import type { EventWhy } from '../../core/state/event-whys.ts';
import { isResolved } from '../../core/state/overdue.ts';
import type { Why } from '../../core/state/pause-texts.ts';
import type { ServicePayment } from '../../gateway/contract/gateway.ts';
import { noteContradiction, paidTwice } from '../../ledger/reporting/contradictions.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { writePause } from '../batches/pausing.ts';
import { noteSecond } from '../payments/late-differences.ts';
import { type Difference, mismatch, otherPayment, referenceOf } from '../payments/payment-request.ts';
import { settle } from '../payments/settle.ts';
import type { Parts } from '../runner/context.ts';
import type { OpenBatch } from '../runner/open-batches.ts';

export type ApplyStatusUpdateNeeds = Parts<'account' | 'gateway' | 'log' | 'service' | 'settings'>;

/**
 * Applies a status update to an accepted row. Logs a status that the spec does not list, and pauses the account if the
 * payment does not match the row. Returns null if another writer has updated the row first.
 */
export async function applyStatusUpdate(
  unit: Unit,
  context: ApplyStatusUpdateNeeds,
  open: OpenBatch,
  row: RowRecord,
  payment: ServicePayment,
): Promise<RowRecord | null> {
  if (payment.unknownStatus && row.service_status !== payment.serviceStatus) {
    context.log.warn(
      'the service gave a status that its specification does not list; airbatch keeps following the row',
      {
        batch_id: row.batch_id,
        row: row.row_no,
        status: payment.serviceStatus,
      },
    );
    await unit.append(row.batch_id, 'row.unknown_status', { service_status: payment.serviceStatus }, row.row_no);
  }
  const written = await settle(unit, context, row, payment);
  if (written?.status !== 'completed') return written;
  const difference = mismatch(row, referenceOf(open.batch, row, row.generation), payment);
  if (difference !== null) await halt(unit, context, row, payment, difference);
  return written;
}

/**
 * Records that the service contradicts the end of a row; a person may have ended it while the service was being asked.
 * Reported once while the program runs. The row stays as it ended, but a failed row counts as paid from now on.
 * `open`: its batch, unless that has ended.
 */
export async function contradictEnd(
  unit: Unit,
  { log }: Parts<'log'>,
  open: Pick<OpenBatch, 'contradicted'> | undefined,
  row: RowRecord,
  payment: ServicePayment,
): Promise<void> {
  const { batch_id, row_no, status, topup_id } = row;
  // A row that was refused has no payment, so any payment contradicts it.
  if ((topup_id !== null && topup_id !== payment.topupId) || open?.contradicted.has(row_no)) return;
  if (payment.state === 'open' || payment.state === status) return;
  const { serviceStatus: service_status } = payment;
  if (status === 'failed') {
    // A person ended the row, and knew what the service says.
    const isKnown = row.service_status === service_status;
    if (isKnown && !open) return;
    const by = isResolved(row) ? 'a person has said that the row failed' : 'the row failed';
    const why: EventWhy = `${by}, and the service now says ${service_status}`;
    if (!(await noteContradiction(unit, row, { ...payment, why, firstSentAt: null }))) return;
    if (isKnown) open?.contradicted.add(row_no);
    log.warn('the service contradicts the ledger', { batch_id, row: row_no, why });
    return;
  }
  // The payments of a batch that has ended are read again a day later.
  if (!open || !isResolved(row)) return;
  open.contradicted.add(row_no);
  const why: EventWhy = `a person has said that the row is ${status}, and the service now says ${service_status}`;
  await unit.append(batch_id, 'row.contradicted', { why, service_status, topup_id }, row_no);
  log.warn('the service contradicts the ledger', { batch_id, row: row_no, why });
}

/**
 * Records that the service shows a second payment under a row's reference. Unless it failed, the recipient may have
 * been paid twice: the account is paused. It is reported once. `open`: the row's batch, unless that has ended.
 */
export async function reportSecondPayment(
  unit: Unit,
  context: Parts<'account' | 'log' | 'service'>,
  open: Pick<OpenBatch, 'seconds'> | undefined,
  row: RowRecord,
  payment: ServicePayment,
): Promise<void> {
  const { batch_id, row_no, topup_id, second_topup_id } = row;
  if (topup_id === null || topup_id === payment.topupId || open?.seconds.has(payment.topupId)) return;
  // The ledger names one second payment of a row. Any others are reported when the payments are read a day later.
  if (!open && second_topup_id !== null) return;
  const second = await noteSecond(unit, row, payment);
  if (second === null) return;
  open?.seconds.add(payment.topupId);
  context.log.warn('the service contradicts the ledger', { batch_id, row: row_no, why: second.why });
  if (second.isPaidTwice) await haltPaidTwice(unit, context, row, payment.topupId);
}

/** The recipient may have been paid twice: the account sends nothing more before a person has looked. */
export async function haltPaidTwice(
  unit: Unit,
  context: Parts<'account' | 'log' | 'service'>,
  row: RowRecord,
  secondTopupId: string,
): Promise<void> {
  await haltForRow(unit, context, paidTwice(row, secondTopupId));
}

/** Pauses the account: the payment matched the row when it was accepted, and no longer matches. A person must look. */
async function halt(
  unit: Unit,
  context: Parts<'account' | 'log' | 'service'>,
  row: RowRecord,
  { serviceStatus, topupId }: ServicePayment,
  difference: Difference,
): Promise<void> {
  const { batch_id, row_no } = row;
  const why: EventWhy = `the service has ${difference}`;
  await unit.append(batch_id, 'row.contradicted', { why, service_status: serviceStatus, topup_id: topupId }, row_no);
  const text = `the service says ${serviceStatus} of row ${row_no} of batch ${batch_id}, with ${difference}`;
  await haltForRow(unit, context, otherPayment(row, difference, text));
}

async function haltForRow(unit: Unit, context: Parts<'account' | 'log' | 'service'>, why: Why): Promise<void> {
  await writePause(unit, context, 'service_mismatch', why);
  const { account } = context;
  context.log.warn('the account is paused', { account, reason: 'service_mismatch', detail: why.text });
}
