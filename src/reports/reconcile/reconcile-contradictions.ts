import type { EventWhy } from '../../core/state/event-whys.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { ServicePayment } from '../../gateway/contract/gateway.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import { countsAsUnpaid, noteContradiction, noteSecondPayment } from '../../ledger/reporting/contradictions.ts';
import { isRefunded, noteChangedCost, noteLateCharge, noteRefund } from '../../ledger/reporting/late-charges.ts';
import { keepMayBePaid } from '../../ledger/reporting/may-be-paid.ts';
import type { BoundPayment } from '../../ledger/reporting/reconciliations.ts';
import { findRow, type RowRecord } from '../../ledger/rows/rows.ts';
import { inUnit, type Unit } from '../../ledger/unit-of-work.ts';
import type { Bucket } from './reconcile-buckets.ts';

/** A payment that the service has completed and that differs from what the ledger has. */
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
 * Records the contradictions: rows that count as unpaid count as paid from now on, wherever money is decided. A second
 * payment of a paid row halts the account. For paid rows, and for second payments that are known, it records the
 * service's present charge or its refund.
 */
export async function noteContradictions(db: Database, clock: Clock, found: readonly Contradicted[]): Promise<void> {
  if (found.length === 0) return;
  await inUnit(db, { clock, actor: 'reconcile' }, async (unit) => {
    for (const { bound, payment } of found) {
      const row = await findRow(unit.tx, bound.batch_id, bound.row_no);
      if (row === null) continue;
      const why: EventWhy = `the row is ${row.status}, and the service has completed its payment`;
      if (countsAsUnpaid(row)) await noteUnpaid(unit, row, { bound, payment }, why);
      else if (row.second_topup_id === payment.topupId) await noteLateCharge(unit, row, payment);
      else if (row.topup_id !== null && row.topup_id !== payment.topupId) await noteSecondPayment(unit, row, payment);
      // The present payment is in doubt or being sent: when that one ends, this one counts as well.
      else if (bound.generation < row.generation) await noteLateCharge(unit, row, payment);
      else await recordCost(unit, row, payment);
    }
  });
}

/**
 * A held row gets the reason. A ready row is held if an earlier payment of it was completed; if it is the present one,
 * its key keeps it from being paid again.
 */
async function noteUnpaid(unit: Unit, row: RowRecord, { bound, payment }: Contradicted, why: EventWhy): Promise<void> {
  const { reference, first_intent_at: firstSentAt } = bound;
  if (row.status === 'held' || bound.generation < row.generation)
    await keepMayBePaid(unit, row, { reference, serviceStatus: payment.serviceStatus, firstSentAt });
  const kept = (await findRow(unit.tx, row.batch_id, row.row_no)) ?? row;
  await noteContradiction(unit, kept, { ...payment, why, firstSentAt });
}

/** The reports of the row's batch contain its cost: the event makes a new version of them. */
async function recordCost(unit: Unit, row: RowRecord, payment: ServicePayment): Promise<void> {
  const { serviceStatus, topupId, cost } = payment;
  const isBack = isRefunded(payment) && row.status === 'completed' && row.topup_id === topupId;
  const isNew = isBack ? await noteRefund(unit, row) : await noteChangedCost(unit, row, payment);
  if (!isNew || cost === null) return;
  const why: EventWhy = `the row cost ${row.cost} ${row.cost_currency}, and the service now says ${cost.value} ${cost.currency}`;
  const data = {
    why,
    service_status: serviceStatus,
    topup_id: topupId,
    cost: cost.value,
    cost_currency: cost.currency,
  };
  await unit.append(row.batch_id, 'row.changed_late', data, row.row_no);
}
