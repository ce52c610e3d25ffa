import type { Queryable } from '../drivers/database.ts';
import { readOne } from '../drivers/read.ts';
import { saveRecord } from '../drivers/write.ts';
import type { BatchRecord } from './batches.ts';

type EndedBatch = Pick<BatchRecord, 'batch_id' | 'completed_at'>;

/** How far an ended batch was read again: pages of the service's list, then single rows. */
export interface RereadPlace {
  pages: number;
  /** The last row that was looked up; null while pages are read. */
  row_no: number | null;
}

/** Null if this end of the batch was not begun to be read again. */
export function findRereadPlace(db: Queryable, batch: EndedBatch): Promise<RereadPlace | null> {
  const sql = 'SELECT COALESCE(pages, 0) AS pages, row_no FROM rereads WHERE batch_id = ? AND completed_at = ?';
  return readOne(db, sql, [batch.batch_id, batch.completed_at]);
}

export async function saveRereadPlace(tx: Queryable, batch: EndedBatch, place: RereadPlace): Promise<void> {
  const { batch_id, completed_at } = batch;
  await saveRecord(tx, 'rereads', ['batch_id'], { batch_id, completed_at, pages: place.pages, row_no: place.row_no });
}

export async function dropRereadPlace(tx: Queryable, batch: EndedBatch): Promise<void> {
  await tx.execute('DELETE FROM rereads WHERE batch_id = ? AND completed_at = ?', [batch.batch_id, batch.completed_at]);
}
