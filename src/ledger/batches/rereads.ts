import type { Queryable } from '../drivers/database.ts';
import type { BatchRecord } from './batches.ts';

type EndedBatch = Pick<BatchRecord, 'batch_id' | 'completed_at'>;

/** How far an ended batch was read again: pages of the service's list, then single rows. */
export interface RereadPlace {
  pages: number;
  /** The last row that was looked up; null while pages are read. */
  row_no: number | null;
}

/** Null if this end of the batch was not begun to be read again. */
export async function findRereadPlace(db: Queryable, batch: EndedBatch): Promise<RereadPlace | null> {
  const sql = 'SELECT COALESCE(pages, 0) AS pages, row_no FROM rereads WHERE batch_id = ? AND completed_at = ?';
  const [place] = await db.query<RereadPlace>(sql, [batch.batch_id, batch.completed_at]);
  return place ?? null;
}

export async function saveRereadPlace(tx: Queryable, batch: EndedBatch, place: RereadPlace): Promise<void> {
  await tx.execute(
    `INSERT INTO rereads (batch_id, completed_at, pages, row_no) VALUES (?, ?, ?, ?) ON CONFLICT (batch_id)
     DO UPDATE SET completed_at = excluded.completed_at, pages = excluded.pages, row_no = excluded.row_no`,
    [batch.batch_id, batch.completed_at, place.pages, place.row_no],
  );
}

export async function dropRereadPlace(tx: Queryable, batch: EndedBatch): Promise<void> {
  await tx.execute('DELETE FROM rereads WHERE batch_id = ? AND completed_at = ?', [batch.batch_id, batch.completed_at]);
}
