import type { Queryable } from '../drivers/database.ts';
import { filledLists, places } from '../drivers/filled-lists.ts';
import type { RowRecord } from './rows.ts';

/** A row of another batch, with what names its payments. */
export interface OtherRow extends RowRecord {
  run_id: string;
  account: string;
}

/** One whose payments have failed according to the ledger. */
export type FailedRow = OtherRow;

export interface FailedPaymentsQuery {
  account: string;
  /** The batch whose rows are compared. Its own rows are left out: they are in one file, and each is intended. */
  batchId: string;
  runId: string;
  /** Epoch ms: payments that were first sent earlier count only within the run. */
  since: number;
}

/** Numbers in one statement. */
const numbersPerQuery = 50;

/** The second part finds rows whose retry was not sent yet: they no longer have the time of their failed payments. */
const failedSql = `SELECT rows.*, batches.run_id, batches.account FROM rows CROSS JOIN batches ON batches.batch_id = rows.batch_id
  WHERE rows.phone_number IN (${places(numbersPerQuery)})
    AND rows.first_sent_at IS NOT NULL AND rows.status = 'failed' AND rows.contradicted IS NULL
    AND batches.account = ? AND rows.batch_id <> ? AND (rows.first_sent_at >= ? OR batches.run_id = ?)
  UNION ALL SELECT rows.*, batches.run_id, batches.account FROM rows CROSS JOIN batches ON batches.batch_id = rows.batch_id
  WHERE rows.phone_number IN (${places(numbersPerQuery)})
    AND rows.generation > 1 AND rows.status IN ('ready', 'held', 'skipped', 'cancelled')
    AND rows.service_status IS NULL AND rows.contradicted IS NULL AND batches.account = ? AND rows.batch_id <> ?
  ORDER BY batch_id, row_no`;

/**
 * The rows of other batches of the account whose payments to these numbers (E.164) have failed and are not known to
 * have arrived.
 */
export async function failedPaymentsTo(
  db: Queryable,
  { account, batchId, runId, since }: FailedPaymentsQuery,
  numbers: readonly string[],
): Promise<FailedRow[]> {
  const found: FailedRow[] = [];
  for (const some of filledLists(numbers, numbersPerQuery)) {
    const params = [...some, account, batchId, since, runId, ...some, account, batchId];
    found.push(...(await db.query<FailedRow>(failedSql, params)));
  }
  return found;
}

const unsentSql = `SELECT rows.*, batches.run_id, batches.account FROM rows CROSS JOIN batches ON batches.batch_id = rows.batch_id
  WHERE rows.phone_number IN (${places(numbersPerQuery)}) AND rows.status IN ('ready', 'held', 'failed')
    AND batches.account = ?
  ORDER BY rows.batch_id, rows.row_no`;

/**
 * The rows to these numbers (E.164) that the account has not paid according to the ledger, and that another program may
 * have paid: they are still to be sent, or could be released or retried.
 */
export async function unsentRowsTo(db: Queryable, account: string, numbers: readonly string[]): Promise<OtherRow[]> {
  const found: OtherRow[] = [];
  for (const some of filledLists(numbers, numbersPerQuery))
    found.push(...(await db.query<OtherRow>(unsentSql, [...some, account])));
  return found;
}
