import { systemClock } from '../src/core/time/clock.ts';
import { approve } from '../src/engine/batches/batch-commands.ts';
import { findBatch } from '../src/ledger/batches/batches.ts';
import type { Database } from '../src/ledger/drivers/database.ts';
import { insertPayments } from '../src/ledger/rows/payments.ts';
import { findRow, type NewRow, type RowRecord } from '../src/ledger/rows/rows.ts';
import { inUnit, type Unit } from '../src/ledger/unit-of-work.ts';
import { aBatch, aPayment, unplanned } from '../test/support/ledger.ts';

export const batchId = 'B-bench';
export const accountName = 'main';
export const runId = 'payroll-2026-11';
export const columns = ['phone_number', 'network_id', 'amount', 'currency', 'product_id', 'reference', 'name'];

const rowsPerUnit = 5_000;

interface Owner {
  account: string;
  batch_id: string;
  rowsBefore?: number;
}

/** A batch of `count` good rows, to be paid at `service`, approved: the state in which a run begins to send. */
export async function addApprovedBatch(
  db: Database,
  count: number,
  service: string,
  owner: Owner = { account: accountName, batch_id: batchId },
): Promise<void> {
  await addBatch(db, count, service, owner);
  await approveBatch(db, owner.batch_id);
}

export async function approveBatch(db: Database, batch: string): Promise<void> {
  await approve({ db, clock: systemClock, person: 'bench', through: 'cli' as const }, batch, unplanned);
}

/** The same as intake leaves it: the batch waits for its approval. */
export async function addBatch(db: Database, count: number, service: string, owner: Owner): Promise<void> {
  const clock = systemClock;
  const options = { clock, actor: 'bench' };
  const { account, batch_id, rowsBefore = 0 } = owner;
  await inUnit(db, options, (unit) => unit.addBatch({ ...newBatch(clock.now(), service), account, batch_id }, {}));
  for (let from = 1; from <= count; from += rowsPerUnit) {
    const numbers = Array.from({ length: Math.min(rowsPerUnit, count - from + 1) }, (_, at) => from + at);
    const rows = numbers.map((number) => ({ ...newRow(rowsBefore + number), row_no: number, batch_id }));
    await inUnit(db, options, (unit) => unit.addRows(batch_id, rows));
  }
  await inUnit(db, options, async (unit) => {
    const batch = await findBatch(unit.tx, batch_id);
    if (batch) await unit.changeBatch(batch, 'validate', {}, {});
  });
}

/** The half of a batch's work that a run killed in the middle of it had done; a few rows were just being sent. */
export async function addHalfDoneBatch(
  db: Database,
  count: number,
  { beingSent, service }: { beingSent: number; service: string },
): Promise<void> {
  await addApprovedBatch(db, count, service);
  const options = { clock: systemClock, actor: 'engine' };
  await inUnit(db, options, async (unit) => {
    const batch = await findBatch(unit.tx, batchId);
    if (batch) await unit.changeBatch(batch, 'start', { started_at: unit.at }, {});
  });
  const done = Math.floor(count / 2);
  for (let from = 1; from <= done; from += rowsPerUnit) {
    await inUnit(db, options, async (unit) => {
      for (let rowNo = from; rowNo < from + rowsPerUnit && rowNo <= done; rowNo++) {
        await completeRow(unit, await sendRow(unit, rowNo), unit.at);
      }
    });
  }
  await inUnit(db, options, async (unit) => {
    for (let rowNo = done + 1; rowNo <= done + beingSent; rowNo++) await sendRow(unit, rowNo);
  });
}

/** A row as it stands between its intent and its answer. */
export async function sendRow(unit: Unit, rowNo: number): Promise<RowRecord> {
  const identity = { account: accountName, runId, rowRef: `R-${rowNo}`, generation: 1 };
  const owner = { batch_id: batchId, row_no: rowNo, first_intent_at: unit.at, last_intent_at: unit.at };
  const payment = aPayment(identity, owner);
  await insertPayments(unit.tx, [payment]);
  const row = await findRow(unit.tx, batchId, rowNo);
  const sent =
    row &&
    (await unit.changeRow(
      row,
      'send',
      { attempts: 1, first_sent_at: unit.at },
      { key: payment.idempotency_key, attempt: 1 },
    ));
  if (!sent) throw new Error(`row ${rowNo} of the bench cannot be sent`);
  return sent;
}

export async function completeRow(unit: Unit, row: RowRecord, at: number): Promise<void> {
  const ended = {
    topup_id: `topup-${row.row_no}`,
    service_status: 'completed',
    cost: '0.8',
    cost_currency: 'USD',
  };
  const fields = { ...ended, provider_reference: `P-${row.row_no}`, completed_at: at };
  await unit.changeRow(row, 'complete', fields, ended);
}

/**
 * Row number `rowNo`: 10.50 KES, as the intake stores them, to a number of its own, whose last digits ask no sandbox
 * for anything special.
 */
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
    amount: '10.5',
    currency: 'KES',
    product_id: null,
    sms_message: null,
    problems: null,
    input: JSON.stringify([phone, '1', '10.50', 'KES', '', `R-${rowNo}`, `Person ${rowNo}`]),
  };
}

/**
 * A number that the sandbox treats like any other: what ends in 0001 to 0013, or in 9 and a code, asks it for trouble.
 */
export function phoneNumber(rowNo: number): string {
  return `+2547${String(rowNo).padStart(7, '0')}${rowNo % 1_000 === 0 ? 0 : 5}`;
}

export function newBatch(at: number, service: string): ReturnType<typeof aBatch> {
  return aBatch({
    batch_id: batchId,
    account: accountName,
    service,
    run_id: runId,
    status: 'received',
    columns: JSON.stringify(columns),
    created_by: 'bench',
    created_at: at,
  });
}
