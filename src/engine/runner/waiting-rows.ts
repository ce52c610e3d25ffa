import type { SpacedRows } from '../../ledger/accounts/pace.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import { findRow, type RowRecord } from '../../ledger/rows/rows.ts';

/** A row that may be taken from `at` (epoch ms) on. */
export interface WaitingRow {
  row: RowRecord;
  at: number;
  /**
   * The row numbers (in the file) of the batch's rows that wait behind it for the same phone number; null if none can
   * wait behind it.
   */
  line: number[] | null;
}

/**
 * The rows that wait for a time. A file may contain one phone number a hundred thousand times, so only the first row to
 * each number waits here. The others are in a line behind it by row number, and are read again when their turn comes.
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

/** Removes and returns the first row that matches; null if none does. */
export function takeWaiting(waiting: WaitingRows, isNext: (entry: WaitingRow) => boolean): WaitingRow | null {
  const index = waiting.entries.findIndex(isNext);
  return index < 0 ? null : (waiting.entries.splice(index, 1)[0] ?? null);
}

/**
 * Lets a row wait because a row to its number was sent a moment ago. A row in doubt goes first, because its key grows
 * old.
 */
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

/**
 * Called when the first row of a line was taken: the next row of the line that is still ready waits in its place, until
 * `at` at least.
 */
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
 * Drops the ready rows of a batch, or of all batches, because the ledger has them. Rows in doubt stay, because only
 * this list shows that they are to be sent.
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
 * The rows that wait because of their number, by batch: how many, and when the first and the last of them may be sent
 * (epoch ms).
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
