import type { Queryable } from '../drivers/database.ts';
import { readValue } from '../drivers/read.ts';

/** SQL: a row that still has data for `forgetRows` to erase. */
const namesSomebody = `(phone_number IS NOT NULL OR sms_message IS NOT NULL OR input <> '[]' OR problems IS NOT NULL
  OR failure_reason IS NOT NULL)`;

/**
 * Batches (of one job, or of all jobs) that ended before `endedBefore` (epoch ms) and still contain personal data; the
 * oldest first. The first row is erased last, so while it contains personal data, the erasing is not complete.
 */
export function batchesToForget(
  db: Queryable,
  of: { endedBefore: number; job: string | null },
  limit: number,
): Promise<{ batch_id: string }[]> {
  return db.query(
    `SELECT batch_id FROM batches WHERE status IN ('completed', 'cancelled', 'rejected')
       AND (forgotten_at IS NULL OR EXISTS
         (SELECT 1 FROM rows WHERE rows.batch_id = batches.batch_id AND row_no = 1 AND ${namesSomebody}))
       AND COALESCE(completed_at, created_at) < ? AND (job = ? OR ? = '') ORDER BY created_at, batch_id LIMIT ?`,
    [of.endedBefore, of.job ?? '', of.job ?? '', limit],
  );
}

/** The number of the last row of a batch that still contains personal data; 0 if there is none. */
export async function lastNamed(db: Queryable, batchId: string): Promise<number> {
  const sql = `SELECT row_no FROM rows WHERE batch_id = ? AND ${namesSomebody} ORDER BY row_no DESC LIMIT 1`;
  return (await readValue<number>(db, sql, [batchId])) ?? 0;
}

/**
 * Erases everything that names a person from the rows between two row numbers: the phone number, the text message, the
 * cells of the file, and messages about them. What was paid, when, and under which key stays. Returns how many rows
 * changed.
 */
export async function forgetRows(tx: Queryable, batchId: string, fromRowNo: number, toRowNo: number): Promise<number> {
  return tx.execute(
    `UPDATE rows SET phone_number = NULL, sms_message = NULL, input = '[]', problems = NULL, failure_reason = NULL
     WHERE batch_id = ? AND row_no BETWEEN ? AND ?`,
    [batchId, fromRowNo, toRowNo],
  );
}

/** The fields of a row from which the keys of its payments are derived, without the batch. */
export interface KeyedRow {
  row_ref: string;
  generation: number;
}

/** The rows between two row numbers that may have payments. */
export function keyedRows(db: Queryable, batchId: string, fromRowNo: number, toRowNo: number): Promise<KeyedRow[]> {
  return db.query(
    `SELECT row_ref, generation FROM rows WHERE batch_id = ? AND row_no BETWEEN ? AND ? AND row_ref IS NOT NULL`,
    [batchId, fromRowNo, toRowNo],
  );
}

/**
 * Erases what names a person from the payment of a key, if a row of the batch has bound it: the body, the service's
 * last answer, and the digest of the body, from which somebody could find the number by trying all numbers. It finds
 * the payment by its key, because a search by batch would go through the payments of the whole ledger.
 */
export async function forgetPayment(tx: Queryable, batchId: string, idempotencyKey: string): Promise<void> {
  await tx.execute(
    `UPDATE payments SET body = '', body_digest = '', last_evidence = NULL WHERE idempotency_key = ? AND batch_id = ?`,
    [idempotencyKey, batchId],
  );
}
