import type { RowState } from '../../core/state/row-state.ts';
import type { Queryable, SqlValue } from '../drivers/database.ts';
import { makeInsert } from '../drivers/insert.ts';
import type { NewRow, RowRecord } from './rows.ts';

/** The columns that every ready row has, which are enough for most rows. */
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

/** Rows that are inserted together: as many as one statement takes (ledger/drivers/insert.ts). */
const rowsPerInsert = 48;

/** Writes the rows of one intake chunk. The caller counts them (`addToCounts`). */
export async function insertRows(tx: Queryable, rows: readonly NewRow[]): Promise<void> {
  for (let next = 0; next < rows.length; next += rowsPerInsert) {
    const some = rows.slice(next, next + rowsPerInsert);
    await (some.every(isPlain) ? insertPlainRows : insertAnyRows)(tx, some);
  }
}

/**
 * Whether a row needs only the plain columns. Passing a value takes time: passing all of them takes a quarter of the
 * time of storing a row.
 */
function isPlain({ status, product_id, sms_message, problems }: NewRow): boolean {
  return status === 'ready' && product_id === null && sms_message === null && problems === null;
}

/**
 * The further result of comparing a row with other batches: its first generation, and the time up to which earlier
 * payments hold it.
 */
export type Judgement = Pick<RowRecord, 'generation' | 'known_until'>;

/**
 * Writes the result of comparing a row with others, while its batch is being read. Returns false if the row is no
 * longer in state `from`.
 */
export async function judgeRow(
  tx: Queryable,
  from: RowState,
  row: NewRow,
  { generation, known_until }: Judgement,
): Promise<boolean> {
  const changed = await tx.execute(
    `UPDATE rows SET row_ref = ?, status = ?, problems = ?, generation = ?, known_until = ?
     WHERE batch_id = ? AND row_no = ? AND status = ? AND attempts = 0`,
    [row.row_ref, row.status, row.problems, generation, known_until, row.batch_id, row.row_no, from],
  );
  return changed === 1;
}

/** Deletes the first rows of a batch, at most `limit`, after the reading of its file failed. Returns how many. */
export function deleteRows(tx: Queryable, batchId: string, limit: number): Promise<number> {
  return tx.execute(
    `DELETE FROM rows WHERE batch_id = ? AND row_no < ? + (SELECT MIN(row_no) FROM rows WHERE batch_id = ?)`,
    [batchId, limit, batchId],
  );
}
