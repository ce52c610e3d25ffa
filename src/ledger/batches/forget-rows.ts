import type { Queryable } from '../drivers/database.ts';

/** A row of which `forgetRows` has something to take. */
const namesSomebody = `(phone_number IS NOT NULL OR sms_message IS NOT NULL OR input <> '[]' OR problems IS NOT NULL
  OR failure_reason IS NOT NULL)`;

/**
 * Batches (of one job, or all) that ended before `endedBefore` (epoch ms), and whose people were not forgotten yet;
 * the oldest first. The first row is the last that is forgotten: while it names somebody, forgetting was broken off.
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

/** The last row of a batch that still names somebody, by its number; 0 where none does. */
export async function lastNamed(db: Queryable, batchId: string): Promise<number> {
  const [last] = await db.query<{ row_no: number }>(
    `SELECT row_no FROM rows WHERE batch_id = ? AND ${namesSomebody} ORDER BY row_no DESC LIMIT 1`,
    [batchId],
  );
  return last?.row_no ?? 0;
}

/**
 * Takes everything that names a person out of the rows of a batch between two row numbers: the number, the text
 * message, the cells of the file, and what was said about them. What was paid, when, and under which key stays.
 * Returns how many rows.
 */
export async function forgetRows(tx: Queryable, batchId: string, fromRowNo: number, toRowNo: number): Promise<number> {
  return tx.execute(
    `UPDATE rows SET phone_number = NULL, sms_message = NULL, input = '[]', problems = NULL, failure_reason = NULL
     WHERE batch_id = ? AND row_no BETWEEN ? AND ?`,
    [batchId, fromRowNo, toRowNo],
  );
}

/** What the keys of a row's payments are made of, beside its batch. */
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
 * Takes what names a person out of the payment of a key, if a row of the batch has bound it: its body and what the
 * service said, and the digest of the body, which all numbers could be tried on. By the key, since a look for all
 * payments of a batch goes through those of the whole ledger.
 */
export async function forgetPayment(tx: Queryable, batchId: string, idempotencyKey: string): Promise<void> {
  await tx.execute(
    `UPDATE payments SET body = '', body_digest = '', last_evidence = NULL WHERE idempotency_key = ? AND batch_id = ?`,
    [idempotencyKey, batchId],
  );
}
