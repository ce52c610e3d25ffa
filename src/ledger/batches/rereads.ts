import type { Queryable } from '../drivers/database.ts';
import { readOne } from '../drivers/read.ts';
import { saveRecord } from '../drivers/write.ts';
import type { BatchRecord } from './batches.ts';

/** The rows of a batch that are read again together: those that ended after one time and up to another (epoch ms). */
export interface Reading extends Pick<BatchRecord, 'batch_id'> {
  /** Null for the first reading of the batch. */
  after: number | null;
  to: number;
}

/** How far the rows of a reading were read: pages of the service's list, then single rows. */
export interface RereadPlace {
  pages: number;
  /** The last row that was looked up; null while pages are read. */
  row_no: number | null;
}

type ReadingName = Pick<Reading, 'batch_id' | 'to'>;

/** Null if the reading has not begun. */
export function findRereadPlace(db: Queryable, { batch_id, to }: ReadingName): Promise<RereadPlace | null> {
  const sql = 'SELECT COALESCE(pages, 0) AS pages, row_no FROM rereads WHERE batch_id = ? AND completed_at = ?';
  return readOne(db, sql, [batch_id, to]);
}

export async function saveRereadPlace(tx: Queryable, reading: ReadingName, place: RereadPlace): Promise<void> {
  const { batch_id, to: completed_at } = reading;
  await saveRecord(tx, 'rereads', ['batch_id'], { batch_id, completed_at, pages: place.pages, row_no: place.row_no });
}

export async function dropRereadPlace(tx: Queryable, { batch_id, to }: ReadingName): Promise<void> {
  await tx.execute('DELETE FROM rereads WHERE batch_id = ? AND completed_at = ?', [batch_id, to]);
}
