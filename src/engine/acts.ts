import { type BatchEvent, can } from '../core/batch-state.ts';
import type { Clock } from '../core/clock.ts';
import { AirbatchError } from '../core/errors.ts';
import type { Balance } from '../gateway/gateway.ts';
import { type BatchRecord, findBatch } from '../ledger/batches.ts';
import type { Database } from '../ledger/database.ts';
import { findRow, pageRowsInState, type RowRecord } from '../ledger/rows.ts';
import { inUnit, type Unit } from '../ledger/unit-of-work.ts';

/** Who acts, on which ledger, by which clock. */
export interface Actor {
  db: Database;
  clock: Clock;
  /** A person's name, as the operating system or the session gives it. */
  name: string;
}

/** Rows that one transaction changes at most, so that it blocks nobody for long. */
const rowsPerUnit = 500;

export async function requireBatch(db: Database, batchId: string): Promise<BatchRecord> {
  const batch = await findBatch(db, batchId);
  if (!batch) throw new AirbatchError('BATCH_UNKNOWN', `there is no batch ${batchId} in this ledger`);
  return batch;
}

/** Approves a validated batch: bound to the digest of its rows, with the balance as it was read before the first row. */
export function approve(actor: Actor, batchId: string, balance: Balance | null): Promise<BatchRecord> {
  return move(actor, batchId, 'approve', (unit, batch) => ({
    fields: {
      approved_by: actor.name,
      approved_at: unit.at,
      balance_before: balance === null ? null : JSON.stringify(balance),
    },
    data: { content_sha256: batch.content_sha256 },
  }));
}

/** Lets a paused batch go on. */
export function resumeBatch(actor: Actor, batchId: string): Promise<BatchRecord> {
  return move(actor, batchId, 'resume', () => ({ fields: { pause_reason: null, pause_detail: null }, data: {} }));
}

export function pauseBatch(actor: Actor, batchId: string, why: string): Promise<BatchRecord> {
  return move(actor, batchId, 'pause', () => ({
    fields: { pause_reason: 'by_person', pause_detail: why },
    data: { why },
  }));
}

/** Gives up a batch of which nothing was sent. */
export function cancelUnsent(actor: Actor, batchId: string, why: string): Promise<BatchRecord> {
  return move(actor, batchId, 'cancel', () => ({ fields: {}, data: { why } }));
}

function move(
  actor: Actor,
  batchId: string,
  event: BatchEvent,
  change: (unit: Unit, batch: BatchRecord) => { fields: Partial<BatchRecord>; data: Record<string, string | null> },
): Promise<BatchRecord> {
  return inUnit(actor.db, { clock: actor.clock, actor: actor.name }, async (unit) => {
    const batch = await findBatch(unit.tx, batchId);
    if (!batch) throw new AirbatchError('BATCH_UNKNOWN', `there is no batch ${batchId} in this ledger`);
    const { fields, data } = change(unit, batch);
    const changed = can(batch.status, event) ? await unit.changeBatch(batch, event, fields, data) : null;
    if (!changed) {
      throw new AirbatchError('BATCH_STATE', `batch ${batchId} is ${batch.status}: it cannot be changed by "${event}"`);
    }
    return changed;
  });
}

/** Lets held rows be sent (all of the batch, or those named). Returns how many. */
export function releaseRows(actor: Actor, batchId: string, rowNos: readonly number[]): Promise<number> {
  return changeHeld(actor, batchId, rowNos, (unit, row) =>
    unit.changeRow(row, 'release', { problems: null, released_at: unit.at }, {}),
  );
}

/** Decides that held rows are not sent. Returns how many. */
export function skipRows(actor: Actor, batchId: string, rowNos: readonly number[], why: string): Promise<number> {
  const problem = {
    code: 'SKIPPED_BY_PERSON',
    column: null,
    message: `Skipped by ${actor.name}: ${why}`,
    suggestion: '',
  };
  return changeHeld(actor, batchId, rowNos, (unit, row) =>
    unit.changeRow(row, 'skip', { problems: JSON.stringify([problem]) }, { why }),
  );
}

async function changeHeld(
  actor: Actor,
  batchId: string,
  rowNos: readonly number[],
  change: (unit: Unit, row: RowRecord) => Promise<RowRecord | null>,
): Promise<number> {
  await requireBatch(actor.db, batchId);
  const options = { clock: actor.clock, actor: actor.name };
  const changeAll = async (rows: readonly RowRecord[]) =>
    inUnit(actor.db, options, async (unit) => {
      let changed = 0;
      for (const row of rows) if (await change(unit, row)) changed += 1;
      return changed;
    });
  if (rowNos.length > 0) return changeAll(await heldRows(actor.db, batchId, rowNos));
  let count = 0;
  for (;;) {
    const rows = await pageRowsInState(actor.db, batchId, 'held', 0, rowsPerUnit);
    if (rows.length === 0) return count;
    count += await changeAll(rows);
  }
}

async function heldRows(db: Database, batchId: string, rowNos: readonly number[]): Promise<RowRecord[]> {
  const rows: RowRecord[] = [];
  for (const rowNo of rowNos) {
    const row = await findRow(db, batchId, rowNo);
    if (row?.status !== 'held') {
      throw new AirbatchError(
        'BATCH_STATE',
        `row ${rowNo} of batch ${batchId} is ${row?.status ?? 'not there'}, not held`,
      );
    }
    rows.push(row);
  }
  return rows;
}
