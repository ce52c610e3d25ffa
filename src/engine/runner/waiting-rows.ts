import type { SpacedRows } from '../../ledger/accounts/pace.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import { findRow, type RowRecord } from '../../ledger/rows/rows.ts';

/** A row that may be taken from `at` (epoch ms) on. */
export interface WaitingRow {
  row: RowRecord;
  at: number;
  /**
   * The numbers (in the file) of the rows of its batch that wait behind it for the same phone number; null if none
   * may.
   */
  line: number[] | null;
}

/**
 * The rows that wait for a time. A file may name one phone number a hundred thousand times, so only the first row to
 * each number waits here; the others stand in line behind it by their row numbers and are read again when it is their
 * turn.
 */
export interface WaitingRows {
  entries: WaitingRow[];
  /** The lines by batch and phone number. */
  lines: Map<string, number[]>;
}

export function makeWaitingRows(): WaitingRows {
  return { entries: [], lines: new Map() };
}

function lineName({ batch_id, phone_number }: RowRecord): string {
  return `${batch_id} ${phone_number}`;
}

/** Removes and returns the first row that fits; null if none does. */
export function takeWaiting(waiting: WaitingRows, isNext: (entry: WaitingRow) => boolean): WaitingRow | null {
  const index = waiting.entries.findIndex(isNext);
  return index < 0 ? null : (waiting.entries.splice(index, 1)[0] ?? null);
}

/** Lets a row wait because a row to its number was sent a moment ago. A row in doubt goes first: its key grows old. */
export function waitForNumber({ entries, lines }: WaitingRows, { row, line: known }: WaitingRow, until: number): void {
  if (row.status !== 'ready') {
    entries.unshift({ row, at: until, line: null });
    return;
  }
  const before = known === null ? lines.get(lineName(row)) : undefined;
  if (before) {
    before.push(row.row_no);
    return;
  }
  const line = known ?? [];
  lines.set(lineName(row), line);
  entries.push({ row, at: until, line });
}

/** The first row of a line was taken: the next one that is still ready waits in its place, until `at` at least. */
export async function moveLineUp(
  db: Database,
  { entries, lines }: WaitingRows,
  { row: first, line }: WaitingRow,
  at: number,
): Promise<void> {
  if (line === null) return;
  for (let rowNo = line.shift(); rowNo !== undefined; rowNo = line.shift()) {
    const row = await findRow(db, first.batch_id, rowNo);
    if (row?.status === 'ready') {
      entries.push({ row, at: Math.max(at, row.next_action_at ?? 0), line });
      return;
    }
  }
  lines.delete(lineName(first));
}

/**
 * Drops the ready rows of a batch, or of all: the ledger still has them. Rows in doubt stay: only this list has them.
 */
export function forgetReady(waiting: WaitingRows, batchId: string | null): void {
  waiting.entries = waiting.entries.filter(({ row }) => {
    if (row.status === 'in_doubt' || (batchId !== null && row.batch_id !== batchId)) return true;
    waiting.lines.delete(lineName(row));
    return false;
  });
}

/** The numbers (in the file) of the ready rows of a batch that wait. */
export function waitingReady({ entries }: WaitingRows, batchId: string): number[] {
  return entries
    .filter(({ row }) => row.batch_id === batchId && row.status === 'ready')
    .flatMap(({ row, line }) => [row.row_no, ...(line ?? [])]);
}

/**
 * The rows that wait for their number, by batch: how many, and from when on the first and the last may be sent (epoch
 * ms).
 */
export function spacedByBatch(entries: readonly WaitingRow[], spacingMs: number): Map<string, SpacedRows> {
  const spaced = new Map<string, SpacedRows>();
  for (const { row, at, line } of entries) {
    if (line === null) continue;
    const { rows, nextAt, lastAt } = spaced.get(row.batch_id) ?? { rows: 0, nextAt: at, lastAt: at };
    spaced.set(row.batch_id, {
      rows: rows + 1 + line.length,
      nextAt: Math.min(nextAt, at),
      lastAt: Math.max(lastAt, at + line.length * spacingMs),
    });
  }
  return spaced;
}
