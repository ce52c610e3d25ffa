import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import { pageRowsInState, type RowRecord } from '../../ledger/rows/rows.ts';
import { sendingOrder } from '../forecast/sending-order.ts';

/** Rows of a batch that are read ahead, so that reads are rare and memory does not grow with the file. */
const readAheadRows = 200;

/** A batch whose rows may be sent, and the position up to which its ready rows were read. */
export interface BatchSource {
  batch: BatchRecord;
  buffer: RowRecord[];
  /** The last row number that was read. */
  cursor: number;
  exhausted: boolean;
  /** How many rows may be sent before a person or a guard releases the others; null if all may be sent. */
  rowsAlone: number | null;
}

/** The batches of an account in the order in which their rows are sent. */
export interface BatchSources {
  byId: Map<string, BatchSource>;
  order: BatchSource[];
}

export function makeBatchSources(): BatchSources {
  return { byId: new Map(), order: [] };
}

/**
 * Replaces the batches. Those that stay keep their turn and the rows that were read. Returns the ids of the removed
 * ones.
 */
export function replaceBatches(
  sources: BatchSources,
  batches: readonly BatchRecord[],
  rowsAlone: ReadonlyMap<string, number>,
): string[] {
  const named = new Set(batches.map(({ batch_id }) => batch_id));
  const gone = [...sources.byId.keys()].filter((id) => !named.has(id));
  for (const id of gone) sources.byId.delete(id);
  for (const batch of batches) {
    const known = sources.byId.get(batch.batch_id);
    const now = { batch, rowsAlone: rowsAlone.get(batch.batch_id) ?? null };
    if (known) Object.assign(known, now);
    else sources.byId.set(batch.batch_id, { ...now, buffer: [], cursor: 0, exhausted: false });
  }
  const kept = sources.order.filter((source) => sources.byId.get(source.batch.batch_id) === source);
  const added = [...sources.byId.values()].filter((source) => !kept.includes(source));
  sources.order = [...kept, ...added].sort((a, b) => sendingOrder(a.batch, b.batch));
  return gone;
}

/** Moves a batch behind the others of its rank after its turn. */
export function endTurn(sources: BatchSources, source: BatchSource): void {
  if (sources.order.length === 1) return;
  const peers = sources.order.filter((other) => other !== source);
  const after = peers.findLastIndex((other) => sendingOrder(other.batch, source.batch) <= 0);
  sources.order = peers.toSpliced(after + 1, 0, source);
}

/**
 * Reads the next ready rows of a batch if the buffer is empty. `pending`: the numbers of its rows that wait or are
 * taken. These are left out, because the ledger may still call them ready.
 */
export async function refill(db: Database, source: BatchSource, pending: () => readonly number[]): Promise<void> {
  while (source.buffer.length === 0 && !source.exhausted) {
    const before = pending();
    const page = await pageRowsInState(db, source.batch.batch_id, 'ready', source.cursor, readAheadRows);
    // Meanwhile, a taken row may have been sent, and another one returned.
    const known = new Set([...before, ...pending()]);
    source.buffer = page.filter(({ row_no }) => !known.has(row_no));
    source.cursor = page.at(-1)?.row_no ?? source.cursor;
    source.exhausted = page.length < readAheadRows;
  }
}

/** Reads all batches from their beginning again. */
export function restartReading({ byId }: BatchSources): void {
  for (const source of byId.values()) Object.assign(source, { cursor: 0, exhausted: false, buffer: [] });
}
