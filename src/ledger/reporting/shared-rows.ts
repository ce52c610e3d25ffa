import type { BatchRecord } from '../batches/batches.ts';
import type { Queryable } from '../drivers/database.ts';

/**
 * Another batch of the same run with some of the rows that this batch would send. Each of them is paid by one of the
 * two.
 */
export interface SharedRows {
  batch_id: string;
  status: BatchRecord['status'];
  created_at: number;
  /** How many rows that are ready here the other batch has paid, or may still pay. */
  rows: number;
  /** How many of these it has paid. */
  paid: number;
}

/**
 * The batches of the same run that may pay rows that are ready here, or have paid them since this batch was imported
 * (rows that were paid before are skipped at intake). The latest comes first. Two files of one run may share any number
 * of rows, for example a corrected file and the first one.
 */
export function sharedRows(
  db: Queryable,
  { batch_id, account, run_id, created_at }: BatchRecord,
): Promise<SharedRows[]> {
  return db.query<SharedRows & Record<string, never>>(
    `SELECT batches.batch_id, batches.status, batches.created_at, COUNT(*) AS rows,
       SUM(CASE WHEN other.status = 'completed' THEN 1 ELSE 0 END) AS paid
     FROM batches CROSS JOIN rows AS other ON other.batch_id = batches.batch_id
     JOIN rows AS mine ON mine.batch_id = ? AND mine.row_ref = other.row_ref
     WHERE batches.account = ? AND batches.run_id = ? AND batches.batch_id <> ?
       AND batches.status IN ('awaiting_approval', 'approved', 'running', 'paused', 'completed')
       AND (batches.completed_at IS NULL OR batches.completed_at >= ?)
       AND mine.status = 'ready' AND other.status NOT IN ('invalid', 'skipped', 'failed', 'cancelled')
     GROUP BY batches.batch_id, batches.status, batches.created_at
     ORDER BY batches.created_at DESC, batches.batch_id DESC`,
    [batch_id, account, run_id, batch_id, created_at],
  );
}

/**
 * Later batches of the same run that have paid rows that failed or were invalid here, such as those of a corrected
 * failed.csv: how many each, the first batch first.
 */
export function paidSince(
  db: Queryable,
  { batch_id, account, run_id, created_at }: BatchRecord,
): Promise<{ batch_id: string; rows: number }[]> {
  return db.query(
    `SELECT batches.batch_id, COUNT(*) AS rows
     FROM batches CROSS JOIN rows AS other ON other.batch_id = batches.batch_id
     JOIN rows AS mine ON mine.batch_id = ? AND mine.row_ref = other.row_ref
     WHERE batches.account = ? AND batches.run_id = ? AND batches.batch_id <> ? AND batches.created_at >= ?
       AND mine.status IN ('failed', 'invalid') AND other.status = 'completed'
     GROUP BY batches.batch_id, batches.created_at ORDER BY batches.created_at, batches.batch_id`,
    [batch_id, account, run_id, batch_id, created_at],
  );
}
