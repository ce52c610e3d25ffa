import { overdueCode } from '../../core/state/overdue.ts';
import type { RowState } from '../../core/state/row-state.ts';
import type { Queryable, SqlValue } from '../drivers/database.ts';
import { makeInsert } from '../drivers/insert.ts';

/** What intake writes of a row, once and for ever. */
export interface NewRow {
  batch_id: string;
  /** 1 for the first row of the file after its header. */
  row_no: number;
  /** The line of the file on which the row begins, as an editor counts. */
  line: number;
  row_ref: string | null;
  status: RowState;
  /** E.164 with its leading "+". */
  phone_number: string | null;
  /** ISO 3166 two-letter code of the number. */
  country: string | null;
  network_id: number | null;
  /** A plain decimal text in `currency`; null when a product is bought. */
  amount: string | null;
  currency: string | null;
  product_id: string | null;
  sms_message: string | null;
  /** JSON array of `Problem` (intake/problems.ts), or null: why the row is invalid or held. */
  problems: string | null;
  /** JSON array of the row's cells as they stand in the file, in file order. */
  input: string;
}

/** A row, and the state of its current generation. Times are epoch milliseconds, amounts decimal texts. */
export interface RowRecord extends NewRow {
  generation: number;
  /** Requests to create this generation's payment that were, or may have been, written to the wire. */
  attempts: number;
  /** When the engine looks at the row next; null: as soon as its turn comes. */
  next_action_at: number | null;
  topup_id: string | null;
  /** The service's own last word, verbatim. */
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
   * The row was held for what other batches had first sent until then (epoch ms): once a person has let it go, that
   * holds it no more.
   */
  told_until: number | null;
  /** The service's status of a payment that has failed here, and not at the service: the row counts as paid. */
  contradicted: string | null;
  /** Since when the ledger knows that (epoch ms). */
  contradicted_at: number | null;
  /** The service's id of that payment, where it is known: it may be of another generation, or a second one. */
  contradicted_by: string | null;
  /** The service's id of a second payment of the row that has not failed: the recipient may have been paid twice. */
  second_topup_id: string | null;
  /** When the service first told of money given back for this payment. The row's state never follows from it. */
  refunded_at: number | null;
  /** How much the service said, where it said (spec section 6.2 does not show it). */
  refund_amount: string | null;
  refund_currency: string | null;
}

/** What every row has that can be sent, as most can. */
const plainColumns = [
  'batch_id',
  'row_no',
  'line',
  'row_ref',
  'phone_number',
  'country',
  'network_id',
  'amount',
  'currency',
  'input',
] as const satisfies readonly (keyof NewRow)[];
const anyColumns = [...plainColumns, 'status', 'product_id', 'sms_message', 'problems'] as const;
const untried = { generation: '1', attempts: '0' };
const insertPlainRows = makeInsert<Pick<NewRow, (typeof plainColumns)[number]>>('rows', plainColumns, {
  fixed: { status: `'ready'`, ...untried },
  put: putPlain,
});
const insertAnyRows = makeInsert<NewRow>('rows', anyColumns, {
  fixed: untried,
  put(params, at, row) {
    putPlain(params, at, row);
    params[at + 10] = row.status;
    params[at + 11] = row.product_id;
    params[at + 12] = row.sms_message;
    params[at + 13] = row.problems;
  },
});

function putPlain(params: SqlValue[], at: number, row: Pick<NewRow, (typeof plainColumns)[number]>): void {
  params[at] = row.batch_id;
  params[at + 1] = row.row_no;
  params[at + 2] = row.line;
  params[at + 3] = row.row_ref;
  params[at + 4] = row.phone_number;
  params[at + 5] = row.country;
  params[at + 6] = row.network_id;
  params[at + 7] = row.amount;
  params[at + 8] = row.currency;
  params[at + 9] = row.input;
}

/** Rows that are inserted together: as many as one statement carries (`insert.ts`). */
const rowsPerInsert = 48;

/** Writes the rows of one intake chunk. The caller counts them (`addToCount`). */
export async function insertRows(tx: Queryable, rows: readonly NewRow[]): Promise<void> {
  for (let next = 0; next < rows.length; next += rowsPerInsert) {
    const some = rows.slice(next, next + rowsPerInsert);
    await (some.every(isPlain) ? insertPlainRows : insertAnyRows)(tx, some);
  }
}

/**
 * Whether a row has nothing beside the plain columns: to hand its values over is a quarter of what it costs to store a
 * row.
 */
function isPlain({ status, product_id, sms_message, problems }: NewRow): boolean {
  return status === 'ready' && product_id === null && sms_message === null && problems === null;
}

/**
 * What other batches make of a row besides its state: with which generation it begins, and which payments it is held
 * for.
 */
export type Judgement = Pick<RowRecord, 'generation' | 'told_until'>;

/**
 * Writes what comparing a row with others has made of it, as long as its batch is being read. False when the row was
 * no longer as `from` says.
 */
export async function judgeRow(
  tx: Queryable,
  from: RowState,
  row: NewRow,
  { generation, told_until }: Judgement,
): Promise<boolean> {
  const changed = await tx.execute(
    `UPDATE rows SET row_ref = ?, status = ?, problems = ?, generation = ?, told_until = ?
     WHERE batch_id = ? AND row_no = ? AND status = ? AND attempts = 0`,
    [row.row_ref, row.status, row.problems, generation, told_until, row.batch_id, row.row_no, from],
  );
  return changed === 1;
}

/**
 * Takes the first rows of a batch, as many as this at most, out of the ledger: of a file that came to nothing. Returns
 * how many.
 */
export function deleteRows(tx: Queryable, batchId: string, limit: number): Promise<number> {
  return tx.execute(
    `DELETE FROM rows WHERE batch_id = ? AND row_no < ? + (SELECT MIN(row_no) FROM rows WHERE batch_id = ?)`,
    [batchId, limit, batchId],
  );
}

export async function findRow(db: Queryable, batchId: string, rowNo: number): Promise<RowRecord | null> {
  const [row] = await db.query<RowRecord>('SELECT * FROM rows WHERE batch_id = ? AND row_no = ?', [batchId, rowNo]);
  return row ?? null;
}

/** The row of the account whose payment has this id at the service, or null. */
export async function findRowByTopup(db: Queryable, account: string, topupId: string): Promise<RowRecord | null> {
  const [row] = await db.query<RowRecord>(
    `SELECT rows.* FROM rows JOIN batches ON batches.batch_id = rows.batch_id
     WHERE rows.topup_id = ? AND batches.account = ? LIMIT 1`,
    [topupId, account],
  );
  return row ?? null;
}

/** The row of a batch with this row ref that is sent, or may be sent yet; it reads every row of the batch. */
export async function findUnendedRow(db: Queryable, batchId: string, rowRef: string): Promise<RowRecord | null> {
  const [row] = await db.query<RowRecord>(
    `SELECT * FROM rows WHERE batch_id = ? AND row_ref = ?
       AND status NOT IN ('invalid', 'skipped', 'cancelled', 'completed') LIMIT 1`,
    [batchId, rowRef],
  );
  return row ?? null;
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
 * Asks for the rows in a state that is bound. A bare parameter is compared with the states to which the index of the
 * rows in flight is limited, so that SQLite plans anew whenever one is bound; it does not look into an expression.
 */
const inState = 'status = +?';

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

/**
 * What the index of the rows in flight covers, word for word: a query that says so can use it whatever state it asks
 * for.
 */
export const inFlight = `(rows.status = 'sending' OR rows.status = 'accepted' OR rows.status = 'in_doubt')`;

/** Rows of a batch after `afterRowNo` that were sent and have ended, in file order. */
export function endedRows(db: Queryable, batchId: string, afterRowNo: number, most: number): Promise<RowRecord[]> {
  return db.query(
    `SELECT * FROM rows WHERE batch_id = ? AND row_no > ? AND status IN ('completed', 'failed') AND first_sent_at IS NOT NULL
     ORDER BY row_no LIMIT ?`,
    [batchId, afterRowNo, most],
  );
}

/** Rows in flight (`accepted` or `in_doubt`) whose next action is due at `now`, the longest due first. */
export function dueRows(
  db: Queryable,
  batchId: string,
  status: 'accepted' | 'in_doubt',
  now: number,
  limit: number,
): Promise<RowRecord[]> {
  return db.query(
    `SELECT * FROM rows WHERE batch_id = ? AND ${inState} AND next_action_at <= ? AND ${inFlight}
     ORDER BY next_action_at LIMIT ?`,
    [batchId, status, now, limit],
  );
}

/** When the next action of the rows in flight in this state is due, or null where none has one. */
export async function nextDueAt(
  db: Queryable,
  batchId: string,
  status: 'accepted' | 'in_doubt',
): Promise<number | null> {
  const [first] = await db.query<{ at: number | null }>(
    `SELECT MIN(next_action_at) AS at FROM rows WHERE batch_id = ? AND ${inState} AND ${inFlight}`,
    [batchId, status],
  );
  return first?.at ?? null;
}

/** Accepted rows that the service has for longer than it promises (core/overdue.ts). */
export const overdue = `rows.status = 'accepted' AND ${inFlight} AND rows.failure_code = '${overdueCode}'`;

/** Whether a batch has an accepted row that the service may yet end in the time that it promises. */
export async function hasPromised(db: Queryable, batchId: string): Promise<boolean> {
  const rows = await db.query(
    `SELECT 1 FROM rows WHERE batch_id = ? AND rows.status = 'accepted' AND ${inFlight}
       AND (rows.failure_code IS NULL OR rows.failure_code <> '${overdueCode}') LIMIT 1`,
    [batchId],
  );
  return rows.length > 0;
}

/** How many accepted rows of a batch the service has for longer than it promises. */
export async function countOverdue(db: Queryable, batchId: string): Promise<number> {
  const [found] = await db.query<{ count: number }>(
    `SELECT COUNT(*) AS count FROM rows WHERE batch_id = ? AND ${overdue}`,
    [batchId],
  );
  return found?.count ?? 0;
}

/**
 * The first of them in file order: sorted by itself, or all rows of the batch would be walked through in that order.
 */
export function firstOverdue(db: Queryable, batchId: string, limit: number): Promise<RowRecord[]> {
  return db.query(`SELECT * FROM rows WHERE batch_id = ? AND ${overdue} ORDER BY +row_no LIMIT ?`, [batchId, limit]);
}

/** Rows that are followed by the list. Times in epoch ms; null where there is none. */
export interface FollowedSum {
  count: number;
  /** The least `next_action_at`. */
  firstDue: number | null;
  /** The least and the greatest `accepted_at`. */
  oldest: number | null;
  newest: number | null;
}

/**
 * Accepted rows that are not due by themselves at `now`, but are by `dueBy`, and were accepted after `after` and by
 * `until` (epoch ms).
 */
export interface FollowedQuery {
  now: number;
  dueBy: number;
  after: number;
  until: number;
}

/** How many of a batch's rows these are, and their times. */
export async function followedRows(
  db: Queryable,
  batchId: string,
  { now, dueBy, after, until }: FollowedQuery,
): Promise<FollowedSum> {
  const [found] = await db.query<{ count: number; due: number | null; oldest: number | null; newest: number | null }>(
    `SELECT COUNT(*) AS count, MIN(next_action_at) AS due, MIN(accepted_at) AS oldest, MAX(accepted_at) AS newest
     FROM rows WHERE batch_id = ? AND status = 'accepted' AND next_action_at > ? AND next_action_at <= ?
       AND accepted_at > ? AND accepted_at <= ? AND ${inFlight}`,
    [batchId, now, dueBy, after, until],
  );
  return {
    count: found?.count ?? 0,
    firstDue: found?.due ?? null,
    oldest: found?.oldest ?? null,
    newest: found?.newest ?? null,
  };
}

/** A page of the rows left in `sending`, in file order: at a start nobody sends, so each of them is a doubt. */
export function sendingRows(db: Queryable, batchId: string, limit: number): Promise<RowRecord[]> {
  return db.query(`SELECT * FROM rows WHERE batch_id = ? AND status = 'sending' AND ${inFlight} LIMIT ?`, [
    batchId,
    limit,
  ]);
}

/** Whether rows of these batches that were first sent until then (epoch ms) are without an answer. */
export async function isAnySending(db: Queryable, batchIds: readonly string[], until: number): Promise<boolean> {
  for (const batchId of batchIds) {
    const [found] = await db.query(
      `SELECT row_no FROM rows WHERE batch_id = ? AND status = 'sending' AND ${inFlight} AND first_sent_at <= ? LIMIT 1`,
      [batchId, until],
    );
    if (found) return true;
  }
  return false;
}

/** What a change of a row may write. */
const changeable = [
  'status',
  'problems',
  'generation',
  'attempts',
  'next_action_at',
  'topup_id',
  'service_status',
  'provider_reference',
  'cost',
  'cost_currency',
  'failure_code',
  'failure_reason',
  'first_sent_at',
  'accepted_at',
  'completed_at',
  'told_until',
  'contradicted',
  'contradicted_at',
  'contradicted_by',
  'second_topup_id',
] as const satisfies readonly (keyof RowRecord)[];
/** The fields of a row that a change of its state may set besides. */
export type RowFields = Partial<Pick<RowRecord, Exclude<(typeof changeable)[number], 'status'>>>;

/**
 * What sums are kept of: it changes from what the caller read, or not at all, else the sum would count one change
 * twice.
 */
const costColumns = (1 << changeable.indexOf('cost')) | (1 << changeable.indexOf('cost_currency'));

/**
 * The statements that updates need, by the columns that they write (one bit each): as many as there are kinds of
 * changes.
 */
const updateSqls = new Map<number, string>();

function updateSql(columns: number): string {
  let sql = updateSqls.get(columns);
  if (sql === undefined) {
    const written = changeable.filter((_, index) => columns & (1 << index)).map((column) => `${column} = ?`);
    const guard = columns & costColumns ? ' AND cost IS ? AND cost_currency IS ?' : '';
    sql = `UPDATE rows SET ${written.join(', ')} WHERE batch_id = ? AND row_no = ? AND status = ? AND generation = ? AND attempts = ?${guard}`;
    updateSqls.set(columns, sql);
  }
  return sql;
}

/**
 * Writes what changed of a row, guarded by the state, generation and attempts that the caller read, and by its cost
 * where that changes. Resolves to 1, or to 0 when another writer was there first: a conflict is a result, and nothing
 * was written. Only what changed is named: SQLite writes an entry of every index anew of which a column is named,
 * changed or not.
 */
export function updateRow(tx: Queryable, before: RowRecord, after: RowRecord): Promise<number> {
  let columns = 0;
  const params: SqlValue[] = [];
  for (let index = 0; index < changeable.length; index++) {
    const column = changeable[index] as (typeof changeable)[number];
    if (before[column] === after[column]) continue;
    columns |= 1 << index;
    params.push(after[column]);
  }
  // With nothing to write there is a conflict to find all the same.
  if (columns === 0) {
    columns = 1 << changeable.indexOf('status');
    params.push(after.status);
  }
  params.push(before.batch_id, before.row_no, before.status, before.generation, before.attempts);
  if (columns & costColumns) params.push(before.cost, before.cost_currency);
  return tx.execute(updateSql(columns), params);
}
