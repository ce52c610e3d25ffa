import { AirbatchError } from '../../core/basics/errors.ts';
import { pagesOf } from '../../core/basics/pages.ts';
import type { RowState } from '../../core/state/row-state.ts';
import type { Queryable } from '../drivers/database.ts';
import { readOne } from '../drivers/read.ts';

/** The fields of a row that intake writes, and that never change. */
export interface NewRow {
  batch_id: string;
  /** 1 for the first row of the file after its header. */
  row_no: number;
  /** The line of the file on which the row begins, as editors count lines. */
  line: number;
  row_ref: string | null;
  status: RowState;
  /** E.164 with its leading "+". */
  phone_number: string | null;
  /** ISO 3166 two-letter code of the number. */
  country: string | null;
  network_id: number | null;
  /** A decimal text in `currency`; null if a product is bought. */
  amount: string | null;
  currency: string | null;
  product_id: string | null;
  sms_message: string | null;
  /** JSON array of `Problem` (intake/cells/problems.ts): why the row is invalid or held; null if there are none. */
  problems: string | null;
  /** JSON array of the row's cells as they are in the file, in file order. */
  input: string;
}

/** A row, and the state of its current generation. Times are epoch milliseconds, amounts decimal texts. */
export interface RowRecord extends NewRow {
  generation: number;
  /** Requests to create this generation's payment that were, or may have been, written to the wire. */
  attempts: number;
  /** When the engine handles the row next; null: when its turn comes. */
  next_action_at: number | null;
  topup_id: string | null;
  /** The service's own last status, verbatim. */
  service_status: string | null;
  provider_reference: string | null;
  cost: string | null;
  cost_currency: string | null;
  failure_code: string | null;
  failure_reason: string | null;
  first_sent_at: number | null;
  accepted_at: number | null;
  completed_at: number | null;
  /**
   * The row was held for what other batches first sent up to this time (epoch ms). Once a person has released it, these
   * payments do not hold it again.
   */
  known_until: number | null;
  /**
   * The service's status of a payment that failed according to the ledger but not at the service: the row counts as
   * paid.
   */
  contradicted: string | null;
  /** Since when the ledger knows that (epoch ms). */
  contradicted_at: number | null;
  /** The service's id of that payment, if known. It may belong to another generation, or be a second payment. */
  contradicted_by: string | null;
  /** The service's id of a second payment of the row that has not failed: the recipient may have been paid twice. */
  second_topup_id: string | null;
  /** When the service first reported a refund of this payment. A refund never changes the row's state. */
  refunded_at: number | null;
  /** How much was refunded, if the service reported it (spec section 6.2 does not show it). */
  refund_amount: string | null;
  refund_currency: string | null;
}

export function findRow(db: Queryable, batchId: string, rowNo: number): Promise<RowRecord | null> {
  return readOne(db, 'SELECT * FROM rows WHERE batch_id = ? AND row_no = ?', [batchId, rowNo]);
}

/** The same. Fails with `ROW_UNKNOWN` if the batch has no row with this number. */
export async function requireRow(db: Queryable, batchId: string, rowNo: number): Promise<RowRecord> {
  const row = await findRow(db, batchId, rowNo);
  if (row === null) throw new AirbatchError('ROW_UNKNOWN', `batch ${batchId} has no row ${rowNo}`);
  return row;
}

/** The row of the account whose payment has this id at the service, or null. */
export function findRowByTopup(db: Queryable, account: string, topupId: string): Promise<RowRecord | null> {
  const sql = `SELECT rows.* FROM rows JOIN batches ON batches.batch_id = rows.batch_id
     WHERE rows.topup_id = ? AND batches.account = ? LIMIT 1`;
  return readOne(db, sql, [topupId, account]);
}

/** The row of a batch with this row ref that is being sent or may still be sent. Reads every row of the batch. */
export function findUnendedRow(db: Queryable, batchId: string, rowRef: string): Promise<RowRecord | null> {
  const sql = `SELECT * FROM rows WHERE batch_id = ? AND row_ref = ?
       AND status NOT IN ('invalid', 'skipped', 'cancelled', 'completed') LIMIT 1`;
  return readOne(db, sql, [batchId, rowRef]);
}

/** A page of a batch's rows in file order, after row `afterRowNo` (0 for the first page). */
export function pageRows(db: Queryable, batchId: string, afterRowNo: number, limit: number): Promise<RowRecord[]> {
  return db.query('SELECT * FROM rows WHERE batch_id = ? AND row_no > ? ORDER BY row_no LIMIT ?', [
    batchId,
    afterRowNo,
    limit,
  ]);
}

/**
 * Selects the rows in a state that is given as a parameter. The `+` makes it an expression: SQLite compares a bare
 * parameter with the states of the index of rows in flight, and so plans the query again for each value.
 */
export const inState = 'status = +?';

/** A page of a batch's rows in one state, in file order. */
export function pageRowsInState(
  db: Queryable,
  batchId: string,
  status: RowState,
  afterRowNo: number,
  limit: number,
): Promise<RowRecord[]> {
  return db.query(`SELECT * FROM rows WHERE batch_id = ? AND row_no > ? AND ${inState} ORDER BY row_no LIMIT ?`, [
    batchId,
    afterRowNo,
    status,
    limit,
  ]);
}

/** All rows of a batch in one state, in file order, page by page: memory does not grow with the batch. */
export function pagesInState(
  db: Queryable,
  batchId: string,
  status: RowState,
  limit: number,
): AsyncGenerator<RowRecord[]> {
  return pagesOf(limit, (last) => pageRowsInState(db, batchId, status, last?.row_no ?? 0, limit));
}

/**
 * Rows of a batch after `afterRowNo` that were sent and have ended, in file order. Those that were retried, and then
 * skipped or cancelled, are among them: they have earlier payments.
 */
export function endedRows(db: Queryable, batchId: string, afterRowNo: number, most: number): Promise<RowRecord[]> {
  return db.query(
    `SELECT * FROM rows WHERE batch_id = ? AND row_no > ?
       AND ((status IN ('completed', 'failed') AND first_sent_at IS NOT NULL)
         OR (status IN ('skipped', 'cancelled') AND generation > 1))
     ORDER BY row_no LIMIT ?`,
    [batchId, afterRowNo, most],
  );
}
