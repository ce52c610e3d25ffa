import type { Queryable } from '../drivers/database.ts';
import type { RowRecord } from './rows.ts';

type RowId = Pick<RowRecord, 'batch_id' | 'row_no'>;

/** Since when no lookup of a row was answered, and when one was last tried (epoch ms). */
interface UnansweredLookup {
  since: number;
  last_at: number;
}

export async function findUnansweredLookup(db: Queryable, row: RowId): Promise<UnansweredLookup | null> {
  const sql = 'SELECT since, last_at FROM unanswered_lookups WHERE batch_id = ? AND row_no = ?';
  const [found] = await db.query<UnansweredLookup>(sql, [row.batch_id, row.row_no]);
  return found ?? null;
}

export async function saveUnansweredLookup(tx: Queryable, row: RowId, lookup: UnansweredLookup): Promise<void> {
  await tx.execute(
    `INSERT INTO unanswered_lookups (batch_id, row_no, since, last_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (batch_id, row_no) DO UPDATE SET since = excluded.since, last_at = excluded.last_at`,
    [row.batch_id, row.row_no, lookup.since, lookup.last_at],
  );
}

/** Called when a lookup was answered, the row is sent, or a person decides. */
export async function clearUnansweredLookup(tx: Queryable, row: RowId): Promise<void> {
  await tx.execute('DELETE FROM unanswered_lookups WHERE batch_id = ? AND row_no = ?', [row.batch_id, row.row_no]);
}
