import { assert } from '../../core/basics/assert.ts';
import { isOverdue, overdueCode } from '../../core/state/overdue.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { findPayment } from '../../ledger/rows/payments.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import type { RowFields } from '../../ledger/rows/update-row.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { paymentNames } from '../payments/payment-request.ts';
import type { Parts } from '../runner/context.ts';
import type { OpenBatch } from '../runner/open-batches.ts';

/**
 * When the payment of a row was last sent (epoch ms): from then on at the latest, the service has the payment that it
 * accepted. By our own clock, because the service's clock may differ.
 */
export async function lastSentAt(db: Queryable, batch: BatchRecord, row: RowRecord): Promise<number> {
  const payment = await findPayment(db, paymentNames(batch, row, row.generation).key);
  assert(payment, 'what was accepted was sent, and has its payment');
  return payment.last_intent_at;
}

const reason = 'The service has had it for longer than it promises, and has not reported a result.';

/**
 * Records the state of an accepted row that has not ended. If it has not ended for `promisedMs`, the row becomes
 * overdue. That is reported once, whatever restarts and however late it is noticed.
 */
export async function noteOpen(
  unit: Unit,
  { log }: Parts<'log'>,
  { batch }: Pick<OpenBatch, 'batch'>,
  row: RowRecord,
  { fields, promisedMs }: { fields: RowFields; promisedMs: number },
): Promise<void> {
  // A payment's last sending is not before its first, so this saves the read of the payment.
  const mayBe = !isOverdue(row) && unit.at - (row.first_sent_at ?? 0) >= promisedMs;
  const age_ms = mayBe ? unit.at - (await lastSentAt(unit.tx, batch, row)) : 0;
  if (!mayBe || age_ms < promisedMs) {
    await unit.noteRow(row, fields, null, {});
    return;
  }
  const overdue = { ...fields, failure_code: overdueCode, failure_reason: reason };
  if (!(await unit.noteRow(row, overdue, 'row.overdue', { age_ms }))) return;
  log.warn('a payment still has no result, later than the service promises', {
    batch_id: row.batch_id,
    row: row.row_no,
  });
}
