import { systemClock } from '../src/core/clock.ts';
import { approve } from '../src/engine/acts.ts';
import { findBatch } from '../src/ledger/batches.ts';
import type { Database } from '../src/ledger/database.ts';
import type { NewRow } from '../src/ledger/rows.ts';
import { inUnit } from '../src/ledger/unit-of-work.ts';
import { aBatch } from '../test/support/ledger.ts';

export const batchId = 'B-bench';
export const accountName = 'main';
export const columns = ['phone_number', 'network_id', 'amount', 'currency', 'product_id', 'reference', 'name'];

const rowsPerUnit = 5_000;

/** A batch of `count` good rows as intake leaves it, approved: the state in which a run begins to send. */
export async function addApprovedBatch(db: Database, count: number): Promise<void> {
  const clock = systemClock;
  const options = { clock, actor: 'bench' };
  await inUnit(db, options, (unit) => unit.addBatch(newBatch(clock.now()), {}));
  for (let from = 1; from <= count; from += rowsPerUnit) {
    const numbers = Array.from({ length: Math.min(rowsPerUnit, count - from + 1) }, (_, at) => from + at);
    await inUnit(db, options, (unit) => unit.addRows(batchId, numbers.map(newRow)));
  }
  await inUnit(db, options, async (unit) => {
    const batch = await findBatch(unit.tx, batchId);
    if (batch) await unit.changeBatch(batch, 'validate', {}, {});
  });
  await approve({ db, clock, name: 'bench' }, batchId, null);
}

/** Row number `rowNo`: 10 KES to a number of its own, whose last digits ask no sandbox for anything special. */
export function newRow(rowNo: number): NewRow {
  const phone = phoneNumber(rowNo);
  return {
    batch_id: batchId,
    row_no: rowNo,
    line: rowNo + 1,
    row_ref: `R-${rowNo}`,
    status: 'ready',
    phone_number: phone,
    country: 'KE',
    network_id: 1,
    amount: '10.50',
    currency: 'KES',
    product_id: null,
    sms_message: null,
    problems: null,
    input: JSON.stringify([phone, '1', '10.50', 'KES', '', `R-${rowNo}`, `Person ${rowNo}`]),
  };
}

/** A number that the sandbox treats like any other: what ends in 0001 to 0013, or in 9 and a code, asks it for trouble. */
export function phoneNumber(rowNo: number): string {
  return `+2547${String(rowNo).padStart(7, '0')}${rowNo % 1_000 === 0 ? 0 : 5}`;
}

export function newBatch(at: number): ReturnType<typeof aBatch> {
  return aBatch({
    batch_id: batchId,
    account: accountName,
    service: 'https://service.example',
    run_id: 'payroll-2026-11',
    status: 'received',
    columns: JSON.stringify(columns),
    created_by: 'bench',
    created_at: at,
  });
}
