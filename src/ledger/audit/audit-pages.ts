import type { Queryable } from '../drivers/database.ts';
import { accountLists, accountPlaces } from '../drivers/filled-lists.ts';
import { readColumn, readOne, readValue } from '../drivers/read.ts';
import { type AuditEvent, accessChainName } from './events.ts';

/** A page of one row's events, after event `afterSeq` (0 for the first page). */
export function pageRowEvents(
  db: Queryable,
  batchId: string,
  rowNo: number,
  afterSeq: number,
  limit: number,
): Promise<AuditEvent[]> {
  return db.query('SELECT * FROM events WHERE batch_id = ? AND row_no = ? AND seq > ? ORDER BY seq LIMIT ?', [
    batchId,
    rowNo,
    afterSeq,
    limit,
  ]);
}

/** The first event of a kind in a batch's history; null if there is none. */
export function firstEvent(db: Queryable, batchId: string, kind: string): Promise<AuditEvent | null> {
  return readOne(db, 'SELECT * FROM events WHERE batch_id = ? AND kind = ? ORDER BY seq LIMIT 1', [batchId, kind]);
}

/**
 * The next batch id after `afterBatchId` ('' for the first) for which the ledger has events, rows or an anchored head;
 * null after the last.
 */
export function nextNamedBatch(db: Queryable, afterBatchId: string): Promise<string | null> {
  const sql = `SELECT MIN(batch_id) FROM (
       SELECT MIN(batch_id) AS batch_id FROM events WHERE batch_id > ?
       UNION ALL SELECT MIN(batch_id) FROM rows WHERE batch_id > ?
       UNION ALL SELECT MIN(batch_id) FROM anchors WHERE batch_id > ? AND batch_id <> ?) AS named`;
  return readValue(db, sql, [afterBatchId, afterBatchId, afterBatchId, accessChainName]);
}

/** Payments of a batch that belong to none of its rows. */
export interface OrphanedPayments {
  batch_id: string;
  count: number;
  first_row: number;
}

/**
 * Payments whose batch or row does not exist, or whose generation the row has not reached, by batch. Reads all
 * payments.
 */
export function orphanedPayments(db: Queryable): Promise<OrphanedPayments[]> {
  return db.query(
    `SELECT batch_id, COUNT(*) AS count, MIN(row_no) AS first_row FROM payments WHERE NOT EXISTS
       (SELECT 1 FROM rows WHERE rows.batch_id = payments.batch_id AND rows.row_no = payments.row_no
          AND rows.generation >= payments.generation)
     GROUP BY batch_id ORDER BY batch_id`,
  );
}

const latestSql = `SELECT * FROM events WHERE (row_no IS NULL OR actor NOT IN ('engine', 'intake'))
    AND at <= ? AND (at, batch_id, seq) < (?, ?, ?)
    AND (? = 1 OR batch_id IN (SELECT batch_id FROM batches WHERE account IN (${accountPlaces})))
  ORDER BY at DESC, batch_id DESC, seq DESC LIMIT ?`;

/** A place among the events of all batches, by their times. */
export type EventPlace = Pick<AuditEvent, 'at' | 'batch_id' | 'seq'>;

/**
 * The latest events before a place, of batches of these accounts (null: of all) as a whole, and of what people did to
 * rows; the newest first.
 */
export async function latestEvents(
  db: Queryable,
  accounts: readonly string[] | null,
  { before: { at, batch_id, seq }, limit }: { before: EventPlace; limit: number },
): Promise<AuditEvent[]> {
  const found: AuditEvent[] = [];
  for (const list of accountLists(accounts))
    found.push(...(await db.query<AuditEvent>(latestSql, [at, at, batch_id, seq, ...list, limit])));
  const isNewer = (a: AuditEvent, b: AuditEvent) =>
    b.at - a.at || (a.batch_id === b.batch_id ? b.seq - a.seq : a.batch_id < b.batch_id ? 1 : -1);
  return found.toSorted(isNewer).slice(0, limit);
}

/**
 * The row numbers of a batch's rows that were held after event `afterSeq` of its history, or that have had another
 * reason to stay held since: an earlier payment of the row has arrived.
 */
export function rowsHeldSince(db: Queryable, batchId: string, afterSeq: number): Promise<number[]> {
  const sql = `SELECT row_no FROM events WHERE batch_id = ? AND seq > ? AND kind IN ('row.hold', 'row.contradicted')`;
  return readColumn(db, sql, [batchId, afterSeq]);
}

/** The time of the newest event of any batch; null if there is none. */
export function newestEventAt(db: Queryable): Promise<number | null> {
  return readValue(db, 'SELECT MAX(at) FROM events');
}
