import type { Queryable } from '../drivers/database.ts';
import type { RowRecord } from './rows.ts';

type RowId = Pick<RowRecord, 'batch_id' | 'row_no'>;

/** What people have decided about a row. */
interface RowDecisions {
  /** The doubtful ends that people named when they retried the row, as JSON. */
  named_ends: string | null;
  /** The earlier payments up to this time (epoch ms) do not hold the row because its number would receive too much. */
  maximum_known_until: number | null;
}

async function findDecisions(db: Queryable, row: RowId): Promise<RowDecisions | null> {
  const sql = 'SELECT named_ends, maximum_known_until FROM row_decisions WHERE batch_id = ? AND row_no = ?';
  const [found] = await db.query<RowDecisions>(sql, [row.batch_id, row.row_no]);
  return found ?? null;
}

export async function namedEnds(db: Queryable, row: RowId): Promise<string[]> {
  return JSON.parse((await findDecisions(db, row))?.named_ends ?? '[]') as string[];
}

export async function saveNamedEnds(tx: Queryable, row: RowId, ends: readonly string[]): Promise<void> {
  await tx.execute(
    `INSERT INTO row_decisions (batch_id, row_no, named_ends) VALUES (?, ?, ?)
     ON CONFLICT (batch_id, row_no) DO UPDATE SET named_ends = excluded.named_ends`,
    [row.batch_id, row.row_no, JSON.stringify(ends)],
  );
}

export async function maximumKnownUntil(db: Queryable, row: RowId): Promise<number | null> {
  return (await findDecisions(db, row))?.maximum_known_until ?? null;
}

export async function saveMaximumKnownUntil(tx: Queryable, row: RowId, until: number): Promise<void> {
  await tx.execute(
    `INSERT INTO row_decisions (batch_id, row_no, maximum_known_until) VALUES (?, ?, ?)
     ON CONFLICT (batch_id, row_no) DO UPDATE SET maximum_known_until = excluded.maximum_known_until`,
    [row.batch_id, row.row_no, until],
  );
}
