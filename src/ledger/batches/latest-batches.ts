import { type BatchState, batchStates } from '../../core/state/batch-state.ts';
import type { Queryable } from '../drivers/database.ts';
import { places } from '../drivers/filled-lists.ts';
import type { BatchRecord } from './batches.ts';

const latestSql = `SELECT * FROM batches WHERE (created_at, batch_id) < (?, ?)
  AND status IN (${places(batchStates.length)}) ORDER BY created_at DESC, batch_id DESC LIMIT ?`;

/** The newest batches in these states that are older than `before`; null: the newest ones. */
export function latestBatches(
  db: Queryable,
  states: readonly BatchState[],
  before: Pick<BatchRecord, 'created_at' | 'batch_id'> | null,
  limit: number,
): Promise<BatchRecord[]> {
  const { created_at, batch_id } = before ?? { created_at: Number.MAX_SAFE_INTEGER, batch_id: '' };
  const wanted = batchStates.map((state) => (states.includes(state) ? state : null));
  return db.query(latestSql, [created_at, batch_id, ...wanted, limit]);
}
