import type { BatchRecord } from '../batches/batches.ts';
import type { Queryable } from '../drivers/database.ts';
import { readOne } from '../drivers/read.ts';
import { saveRecord } from '../drivers/write.ts';
import { inFlight } from './in-flight-rows.ts';
import { inState, type RowRecord } from './rows.ts';

/**
 * What is known of a row in doubt besides the row: what people did, and why it was left to them. It stays when the row
 * leaves its doubt, in case the row is in doubt again.
 */
export interface DoubtRecord {
  batch_id: string;
  row_no: number;
  /** The person who takes care of it; null: nobody. */
  owner: string | null;
  /** The last look-up that a person asked for: its time (epoch ms), the person, and the result; null: there is none. */
  looked_up_at: number | null;
  looked_up_by: string | null;
  look_up: string | null;
  /** Why the row was last left to a person, as JSON of `ErrorReason`; null: it was not, or by an earlier version. */
  reason: string | null;
}

type RowKey = Pick<DoubtRecord, 'batch_id' | 'row_no'>;

export function findDoubt(db: Queryable, { batch_id, row_no }: RowKey): Promise<DoubtRecord | null> {
  return readOne(db, 'SELECT * FROM doubts WHERE batch_id = ? AND row_no = ?', [batch_id, row_no]);
}

/** Stores what is newly known of a row in doubt. */
export async function saveDoubt(
  tx: Queryable,
  { batch_id, row_no }: RowKey,
  known: Partial<Omit<DoubtRecord, keyof RowKey>>,
): Promise<void> {
  await saveRecord(tx, 'doubts', ['batch_id', 'row_no'], { batch_id, row_no, ...known });
}

/** Why rows of a batch were left to a person, by row, as JSON of `ErrorReason`: those from a row to another. */
export async function doubtReasonsOf(
  db: Queryable,
  batchId: string,
  [first, last]: readonly [number, number],
): Promise<Map<number, string>> {
  const found = await db.query<{ row_no: number; reason: string }>(
    'SELECT row_no, reason FROM doubts WHERE batch_id = ? AND row_no BETWEEN ? AND ? AND reason IS NOT NULL',
    [batchId, first, last],
  );
  return new Map(found.map(({ row_no, reason }) => [row_no, reason]));
}

/** The batches that have rows in doubt. */
export function batchesInDoubt(db: Queryable): Promise<BatchRecord[]> {
  return db.query(
    `SELECT batches.* FROM batches JOIN batch_counts ON batch_counts.batch_id = batches.batch_id
     WHERE batch_counts.status = 'in_doubt' AND batch_counts.count > 0 ORDER BY batches.batch_id`,
  );
}

/** A row in doubt, as far as it is sorted and added up. */
export type DoubtInShort = Pick<RowRecord, 'row_no' | 'first_sent_at' | 'amount' | 'currency'> & {
  owner: string | null;
};

/** All rows in doubt of a batch. */
export function doubtsOf(db: Queryable, batchId: string): Promise<DoubtInShort[]> {
  return db.query(
    `SELECT rows.row_no, rows.first_sent_at, rows.amount, rows.currency, doubts.owner
     FROM rows LEFT JOIN doubts ON doubts.batch_id = rows.batch_id AND doubts.row_no = rows.row_no
     WHERE rows.batch_id = ? AND rows.${inState} AND ${inFlight}`,
    [batchId, 'in_doubt'],
  );
}
