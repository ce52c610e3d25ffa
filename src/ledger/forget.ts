import type { Queryable } from './database.ts';

/** Batches (of one job, or all) that ended before `endedBefore` (epoch ms), and whose people were not forgotten yet; the oldest first. */
export function batchesToForget(
  db: Queryable,
  of: { endedBefore: number; job: string | null },
  limit: number,
): Promise<{ batch_id: string }[]> {
  return db.query(
    `SELECT batch_id FROM batches WHERE status IN ('completed', 'cancelled', 'rejected') AND forgotten_at IS NULL
       AND COALESCE(completed_at, created_at) < ? AND (job = ? OR ? = '') ORDER BY created_at, batch_id LIMIT ?`,
    [of.endedBefore, of.job ?? '', of.job ?? '', limit],
  );
}

/**
 * Takes everything that names a person out of the rows of a batch between two row numbers: the number, the text message, the cells of
 * the file, and what was said about them. What was paid, when, and under which key stays. Returns how many rows.
 */
export async function forgetRows(tx: Queryable, batchId: string, fromRowNo: number, toRowNo: number): Promise<number> {
  return tx.execute(
    `UPDATE rows SET phone_number = NULL, sms_message = NULL, input = '[]', problems = NULL, failure_reason = NULL
     WHERE batch_id = ? AND row_no BETWEEN ? AND ?`,
    [batchId, fromRowNo, toRowNo],
  );
}

/** The same for the payments of a batch, whose bodies name the person; the digests of the bodies stay. */
export async function forgetPayments(tx: Queryable, batchId: string): Promise<void> {
  await tx.execute(`UPDATE payments SET body = '', last_evidence = NULL WHERE batch_id = ?`, [batchId]);
}
