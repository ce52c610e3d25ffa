import type { Queryable } from '../drivers/database.ts';
import { readOne } from '../drivers/read.ts';
import { saveRecord } from '../drivers/write.ts';
import type { RowRecord } from './rows.ts';

type RowId = Pick<RowRecord, 'batch_id' | 'row_no'>;

/** What people have decided about a row. */
interface RowDecisions {
  /** The doubtful ends that people named when they retried the row, as JSON. */
  named_ends: string | null;
  /** The earlier payments up to this time (epoch ms) do not hold the row because its number would receive too much. */
  maximum_known_until: number | null;
}

function findDecisions(db: Queryable, row: RowId): Promise<RowDecisions | null> {
  const sql = 'SELECT named_ends, maximum_known_until FROM row_decisions WHERE batch_id = ? AND row_no = ?';
  return readOne(db, sql, [row.batch_id, row.row_no]);
}

async function saveDecisions(tx: Queryable, { batch_id, row_no }: RowId, some: Partial<RowDecisions>): Promise<void> {
  await saveRecord(tx, 'row_decisions', ['batch_id', 'row_no'], { batch_id, row_no, ...some });
}

export async function namedEnds(db: Queryable, row: RowId): Promise<string[]> {
  return JSON.parse((await findDecisions(db, row))?.named_ends ?? '[]') as string[];
}

export async function saveNamedEnds(tx: Queryable, row: RowId, ends: readonly string[]): Promise<void> {
  await saveDecisions(tx, row, { named_ends: JSON.stringify(ends) });
}

export async function maximumKnownUntil(db: Queryable, row: RowId): Promise<number | null> {
  return (await findDecisions(db, row))?.maximum_known_until ?? null;
}

export async function saveMaximumKnownUntil(tx: Queryable, row: RowId, until: number): Promise<void> {
  await saveDecisions(tx, row, { maximum_known_until: until });
}
