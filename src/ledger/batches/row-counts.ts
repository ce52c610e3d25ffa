import type { Queryable } from '../drivers/database.ts';
import { makeInsert } from '../drivers/insert.ts';
import { readColumn } from '../drivers/read.ts';

/** The number of rows in each state, for every batch of the account that is being sent or will be, by batch id. */
export async function countRowsSending(db: Queryable, account: string): Promise<Map<string, Map<string, number>>> {
  const found = await db.query<{ batch_id: string; status: string; count: number }>(
    `SELECT batch_counts.batch_id, batch_counts.status, batch_counts.count
     FROM batches JOIN batch_counts ON batch_counts.batch_id = batches.batch_id
     WHERE batches.account = ? AND batches.status IN ('approved', 'running') AND batch_counts.count > 0`,
    [account],
  );
  const counts = new Map<string, Map<string, number>>();
  for (const { batch_id, status, count } of found) {
    const ofBatch = counts.get(batch_id) ?? new Map<string, number>();
    counts.set(batch_id, ofBatch.set(status, count));
  }
  return counts;
}

/** The cancelled batches that still have rows to cancel. */
export function cancelledWithRows(db: Queryable): Promise<string[]> {
  const sql = `SELECT DISTINCT batches.batch_id FROM batches JOIN batch_counts ON batch_counts.batch_id = batches.batch_id
     WHERE batches.status = 'cancelled' AND batch_counts.status IN ('ready', 'held') AND batch_counts.count > 0`;
  return readColumn(db, sql);
}

/** By how much the number of rows in a state changes. */
export interface CountChange {
  batch_id: string;
  status: string;
  count: number;
}

/**
 * Changes counts, of each state once. The counts of a batch always add up to the rows of its file. Rows usually move
 * from one state to another, so there are two changes.
 */
export const addToCounts = makeInsert<CountChange>('batch_counts', ['batch_id', 'status', 'count'], {
  ending: 'ON CONFLICT (batch_id, status) DO UPDATE SET count = batch_counts.count + excluded.count',
  most: 2,
});

/** Deletes the counts of a batch that has no rows any more. */
export async function deleteCounts(tx: Queryable, batchId: string): Promise<void> {
  await tx.execute('DELETE FROM batch_counts WHERE batch_id = ?', [batchId]);
}

/** How many rows of a batch are in each state, in alphabetical order; states without rows are absent. */
export async function countRows(db: Queryable, batchId: string): Promise<Map<string, number>> {
  const counts = await db.query<{ status: string; count: number }>(
    'SELECT status, count FROM batch_counts WHERE batch_id = ? AND count > 0 ORDER BY status',
    [batchId],
  );
  return new Map(counts.map(({ status, count }) => [status, count]));
}
