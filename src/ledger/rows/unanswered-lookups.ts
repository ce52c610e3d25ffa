import type { Queryable } from '../drivers/database.ts';
import { readOne } from '../drivers/read.ts';
import { saveRecord } from '../drivers/write.ts';
import type { RowRecord } from './rows.ts';

type RowId = Pick<RowRecord, 'batch_id' | 'row_no'>;

/** Since when no lookup of a row was answered, and when one was last tried (epoch ms). */
interface UnansweredLookup {
  since: number;
  last_at: number;
}

export function findUnansweredLookup(db: Queryable, row: RowId): Promise<UnansweredLookup | null> {
  const sql = 'SELECT since, last_at FROM unanswered_lookups WHERE batch_id = ? AND row_no = ?';
  return readOne(db, sql, [row.batch_id, row.row_no]);
}

export async function saveUnansweredLookup(
  tx: Queryable,
  { batch_id, row_no }: RowId,
  lookup: UnansweredLookup,
): Promise<void> {
  await saveRecord(tx, 'unanswered_lookups', ['batch_id', 'row_no'], { batch_id, row_no, ...lookup });
}

/** Called when a lookup was answered, the row is sent, or a person decides. */
export async function clearUnansweredLookup(tx: Queryable, row: RowId): Promise<void> {
  await tx.execute('DELETE FROM unanswered_lookups WHERE batch_id = ? AND row_no = ?', [row.batch_id, row.row_no]);
}
