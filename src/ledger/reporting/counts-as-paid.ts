import { beginningOf } from '../../core/state/event-whys.ts';
import type { RowState } from '../../core/state/row-state.ts';
import { isLateSql } from '../audit/events.ts';
import type { Queryable, SqlValue } from '../drivers/database.ts';
import { readColumn } from '../drivers/read.ts';
import type { RowRecord } from '../rows/rows.ts';

/** States of rows that ended without a payment. */
const unpaidEnds: readonly RowState[] = ['failed', 'skipped', 'cancelled'];

/**
 * Whether a row counts as paid, as the service now says: it is completed and the service has not taken that back, or it
 * ended unpaid and a payment of it has arrived, or may have. `takenBack`: see `takenBackRows`.
 */
export function countsAsPaid(
  { status, contradicted, row_no }: Pick<RowRecord, 'status' | 'contradicted' | 'row_no'>,
  takenBack: ReadonlySet<number>,
): boolean {
  return status === 'completed' ? !takenBack.has(row_no) : unpaidEnds.includes(status) && contradicted !== null;
}

/**
 * The beginnings of what is recorded when the service says of a completed payment that it failed, or no longer has it.
 */
const takenBack = [
  ...(['WHY_ENDED_SAYS', 'WHY_ROW_SAYS', 'WHY_PERSON_SAYS'] as const).map((code) =>
    beginningOf(code, { row_status: 'completed' }),
  ),
  ...(['WHY_GONE', 'WHY_GONE_OTHER'] as const).map((code) => beginningOf(code)),
];

const takenBackSql = `SELECT DISTINCT events.row_no FROM events JOIN rows ON rows.batch_id = events.batch_id
    AND rows.row_no = events.row_no
  WHERE events.batch_id = ? AND (${isLateSql}) AND status = 'completed'
    AND (${takenBack.map(() => 'body LIKE ?').join(' OR ')}) AND body LIKE '%"topup_id":"' || rows.topup_id || '"%'`;

function takenBackParams(batchId: string): SqlValue[] {
  return [batchId, ...takenBack.map((why) => `%"why":"${why}%`)];
}

/** The completed rows of a batch (their numbers) that the service no longer calls paid. They keep their state (I7). */
export async function takenBackRows(db: Queryable, batchId: string): Promise<Set<number>> {
  return new Set(await readColumn<number>(db, takenBackSql, takenBackParams(batchId)));
}

/**
 * SQL: the row of `table` is completed, or ended unpaid and a payment of it has arrived, or may have. This does not ask
 * whether the service has taken a completed one back.
 */
export function isPaidSql(table: 'rows' | 'other' | 'last'): string {
  const states = unpaidEnds.map((status) => `'${status}'`).join(', ');
  return `(${table}.status = 'completed' OR (${table}.status IN (${states}) AND ${table}.contradicted IS NOT NULL))`;
}

/** SQL: the row of the batch counts as paid, as `countsAsPaid` says. It takes `countsAsPaidParams`. */
export const countsAsPaidSql = `(${isPaidSql('rows')} AND rows.row_no NOT IN (${takenBackSql}))`;
export const countsAsPaidParams = takenBackParams;
