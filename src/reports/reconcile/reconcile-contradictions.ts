import type { Clock } from '../../core/time/clock.ts';
import type { ServicePayment } from '../../gateway/contract/gateway.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import { countsAsUnpaid, noteContradiction } from '../../ledger/reporting/contradictions.ts';
import type { BoundPayment } from '../../ledger/reporting/reconciliations.ts';
import { findRow } from '../../ledger/rows/rows.ts';
import { inUnit } from '../../ledger/unit-of-work.ts';

/** A completed payment at the service, of a row that counts as unpaid in the ledger. */
export interface Contradicted {
  bound: BoundPayment;
  payment: ServicePayment;
}

/** Null if the payment is still open at the service: a list may lag behind a failure. */
export function contradictedBy(bound: BoundPayment | null, payment: ServicePayment): Contradicted[] {
  return bound && payment.state === 'completed' && countsAsUnpaid(bound) ? [{ bound, payment }] : [];
}

/** Records the contradictions. Their rows count as paid from now on, wherever money is decided. */
export async function noteContradictions(db: Database, clock: Clock, found: readonly Contradicted[]): Promise<void> {
  if (found.length === 0) return;
  await inUnit(db, { clock, actor: 'reconcile' }, async (unit) => {
    for (const { bound, payment } of found) {
      const row = await findRow(unit.tx, bound.batch_id, bound.row_no);
      if (row === null || !countsAsUnpaid(row)) continue;
      const why = `the row is ${row.status}, and the service has completed its payment`;
      await noteContradiction(unit, row, { ...payment, why, firstSentAt: bound.first_intent_at });
    }
  });
}
