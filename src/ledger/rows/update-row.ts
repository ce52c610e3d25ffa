import type { Queryable, SqlValue } from '../drivers/database.ts';
import type { RowRecord } from './rows.ts';

/** The columns that a change of a row may write. */
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
  'known_until',
  'contradicted',
  'contradicted_at',
  'contradicted_by',
  'second_topup_id',
] as const satisfies readonly (keyof RowRecord)[];
/** The further fields of a row that a change of its state may set. */
export type RowFields = Partial<Pick<RowRecord, Exclude<(typeof changeable)[number], 'status'>>>;

/**
 * The columns that are added up elsewhere. An update checks that they are still as the caller read them: otherwise the
 * sum would count one change twice.
 */
const costColumns = (1 << changeable.indexOf('cost')) | (1 << changeable.indexOf('cost_currency'));

/**
 * The update statements by the columns that they write (one bit each). There are as many as there are kinds of changes.
 */
const updateSqls = new Map<number, string>();

function updateSql(columns: number): string {
  let sql = updateSqls.get(columns);
  if (sql === undefined) {
    const written = changeable.filter((_, index) => columns & (1 << index)).map((column) => `${column} = ?`);
    const guard =
      columns & costColumns ? ' AND cost IS NOT DISTINCT FROM ? AND cost_currency IS NOT DISTINCT FROM ?' : '';
    sql = `UPDATE rows SET ${written.join(', ')} WHERE batch_id = ? AND row_no = ? AND status = ? AND generation = ? AND attempts = ?${guard}`;
    updateSqls.set(columns, sql);
  }
  return sql;
}

/**
 * Writes the changed fields of a row, if the row still has the state, generation and attempts that the caller read (and
 * the cost, if that changes). Resolves to 1, or to 0 if another writer changed the row first: a conflict is a result,
 * and nothing is written. Only changed columns are named, because SQLite rewrites every index of a named column,
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
  // Without changes, the update must still find a conflict.
  if (columns === 0) {
    columns = 1 << changeable.indexOf('status');
    params.push(after.status);
  }
  params.push(before.batch_id, before.row_no, before.status, before.generation, before.attempts);
  if (columns & costColumns) params.push(before.cost, before.cost_currency);
  return tx.execute(updateSql(columns), params);
}
