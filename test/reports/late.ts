import type { Database } from '../../src/ledger/drivers/database.ts';
import { writeRefund } from '../../src/ledger/rows/refunds.ts';
import { findRow, type RowRecord } from '../../src/ledger/rows/rows.ts';
import { inUnit } from '../../src/ledger/unit-of-work.ts';
import { clockOf, startMs } from './fixture.ts';

/** So many hours after it began. */
const hoursMs = 3_600_000;

/** The service gives the money of a row back, as the engine notes it, so many hours after the start. */
export function giveBack(
  db: Database,
  rowNo: number,
  { batchId = 'B-1', hours = 24, amount = '0.80' } = {},
): Promise<void> {
  const clock = clockOf(db);
  clock.set(startMs + hours * hoursMs);
  return inUnit(db, { clock, actor: 'engine' }, async (unit) => {
    const row = (await findRow(unit.tx, batchId, rowNo)) as RowRecord;
    const data = { topup_id: row.topup_id, amount, currency: 'USD', status: row.status, refunded_at: unit.at };
    await unit.append(batchId, 'row.refund', data, rowNo);
    await writeRefund(unit.tx, row, { refunded_at: unit.at, refund_amount: amount, refund_currency: 'USD' });
  });
}

/**
 * The same of the payment `topup-N` of row N that failed before the row was tried again, so many seconds after the
 * start.
 */
export function giveEarlierBack(
  db: Database,
  rowNo: number,
  { batchId, seconds, amount }: { batchId: string; seconds: number; amount: string },
): Promise<void> {
  const clock = clockOf(db);
  clock.set(startMs + seconds * 1_000);
  const data = { topup_id: `topup-${rowNo}`, amount, currency: 'USD', status: 'failed' };
  return inUnit(db, { clock, actor: 'engine' }, (unit) =>
    unit.append(batchId, 'row.refund', { ...data, refunded_at: unit.at }, rowNo),
  );
}

/** The service says of a row of B-1 that it failed after all: the row stays as it ended. */
export function sayFailed(db: Database, rowNo: number, { hours = 25 } = {}): Promise<void> {
  const clock = clockOf(db);
  clock.set(startMs + hours * hoursMs);
  return inUnit(db, { clock, actor: 'engine' }, (unit) =>
    unit.append('B-1', 'row.changed_late', { why: 'the row ended completed, and the service now says failed' }, rowNo),
  );
}
