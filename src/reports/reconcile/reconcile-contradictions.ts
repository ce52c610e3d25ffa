import type { Clock } from '../../core/time/clock.ts';
import type { ServicePayment } from '../../gateway/contract/gateway.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import { countsAsUnpaid, noteContradiction } from '../../ledger/reporting/contradictions.ts';
import { isRefunded, noteChangedCost, noteLateCharge, noteRefund } from '../../ledger/reporting/late-charges.ts';
import type { BoundPayment } from '../../ledger/reporting/reconciliations.ts';
import { findRow, type RowRecord } from '../../ledger/rows/rows.ts';
import { inUnit, type Unit } from '../../ledger/unit-of-work.ts';
import type { Bucket } from './reconcile-buckets.ts';

/** A completed payment at the service that the ledger does not have like this. */
export interface Contradicted {
  bound: BoundPayment;
  payment: ServicePayment;
}

/** Empty if the payment is still open at the service: a list may lag behind a failure. */
export function contradictedBy(bound: BoundPayment | null, bucket: Bucket, payment: ServicePayment): Contradicted[] {
  const isCostNew = bound?.cost === null && payment.cost !== null;
  return bound && payment.state === 'completed' && (bucket !== 'matched' || isCostNew) ? [{ bound, payment }] : [];
}

/**
 * Records the contradictions: rows that count as unpaid count as paid from now on, wherever money is decided. Of second
 * payments that are known, and of paid rows, it records what the service charges for them now, or that it has given the
 * money back.
 */
export async function noteContradictions(db: Database, clock: Clock, found: readonly Contradicted[]): Promise<void> {
  if (found.length === 0) return;
  await inUnit(db, { clock, actor: 'reconcile' }, async (unit) => {
    for (const { bound, payment } of found) {
      const row = await findRow(unit.tx, bound.batch_id, bound.row_no);
      if (row === null) continue;
      const why = `the row is ${row.status}, and the service has completed its payment`;
      if (countsAsUnpaid(row))
        await noteContradiction(unit, row, { ...payment, why, firstSentAt: bound.first_intent_at });
      else if (row.second_topup_id === payment.topupId) await noteLateCharge(unit, row, payment);
      else if (isRefunded(payment) && row.status === 'completed' && row.topup_id === payment.topupId)
        await recordRefund(unit, row, payment);
      else await noteChangedCost(unit, row, payment);
    }
  });
}

async function recordRefund(unit: Unit, row: RowRecord, { serviceStatus, topupId }: ServicePayment): Promise<void> {
  if (!(await noteRefund(unit, row))) return;
  const why = `the row cost ${row.cost} ${row.cost_currency}, and the service now says 0`;
  const data = { why, service_status: serviceStatus, topup_id: topupId, cost: '0' };
  await unit.append(row.batch_id, 'row.changed_late', data, row.row_no);
}
