import { overdueCode } from '../../core/state/overdue.ts';
import type { Queryable } from '../drivers/database.ts';
import { readValue } from '../drivers/read.ts';
import { highestClock } from '../schema/ledger-state.ts';
import { inState, type RowRecord } from './rows.ts';

/**
 * The condition of the index of the rows in flight, with exactly its text: a query with this condition can use the
 * index for any state.
 */
export const inFlight = `(rows.status = 'sending' OR rows.status = 'accepted' OR rows.status = 'in_doubt')`;

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

/** When the next action of the rows in flight in this state is due; null if none is scheduled. */
export function nextDueAt(db: Queryable, batchId: string, status: 'accepted' | 'in_doubt'): Promise<number | null> {
  const sql = `SELECT MIN(next_action_at) FROM rows WHERE batch_id = ? AND ${inState} AND ${inFlight}`;
  return readValue(db, sql, [batchId, status]);
}

/**
 * A due time of a runner as a clock that shows `now` will show it (epoch ms). A runner's time never goes back: after a
 * clock that was ahead, it continues from the highest time.
 */
export async function dueByClock(db: Queryable, dueAt: number | null, now: number): Promise<number | null> {
  return dueAt === null ? null : dueAt - Math.max(0, (await highestClock(db)) - now);
}

/** When the next lookup of a batch's rows in doubt is due, by a clock that shows `now`; null if none is scheduled. */
export async function nextLookupAt(db: Queryable, batchId: string, now: number): Promise<number | null> {
  return dueByClock(db, await nextDueAt(db, batchId, 'in_doubt'), now);
}

/** Rows in doubt that only a person can end: no lookup of them is scheduled. */
export const leftToPerson = `rows.status = 'in_doubt' AND ${inFlight} AND rows.next_action_at IS NULL`;

/** How many rows of a batch are in doubt and left to a person. */
export async function countLeftToPerson(db: Queryable, batchId: string): Promise<number> {
  const sql = `SELECT COUNT(*) FROM rows WHERE batch_id = ? AND ${leftToPerson}`;
  return (await readValue<number>(db, sql, [batchId])) ?? 0;
}

/** Accepted rows that have not ended within the service's promised time (core/state/overdue.ts). */
export const overdue = `rows.status = 'accepted' AND ${inFlight} AND rows.failure_code = '${overdueCode}'`;

/** Whether a batch has an accepted row that is still within the service's promised time. */
export async function hasPromised(db: Queryable, batchId: string): Promise<boolean> {
  const rows = await db.query(
    `SELECT 1 FROM rows WHERE batch_id = ? AND rows.status = 'accepted' AND ${inFlight}
       AND (rows.failure_code IS NULL OR rows.failure_code <> '${overdueCode}') LIMIT 1`,
    [batchId],
  );
  return rows.length > 0;
}

/** How many accepted rows of a batch have not ended within the service's promised time. */
export async function countOverdue(db: Queryable, batchId: string): Promise<number> {
  const sql = `SELECT COUNT(*) FROM rows WHERE batch_id = ? AND ${overdue}`;
  return (await readValue<number>(db, sql, [batchId])) ?? 0;
}

/**
 * The first overdue rows in file order. `+row_no` makes SQLite sort them: otherwise it would walk through all rows of
 * the batch in that order.
 */
export function firstOverdue(db: Queryable, batchId: string, limit: number): Promise<RowRecord[]> {
  return db.query(`SELECT * FROM rows WHERE batch_id = ? AND ${overdue} ORDER BY +row_no LIMIT ?`, [batchId, limit]);
}

/** A summary of rows that are followed by the list. Times in epoch ms; null if there are no rows. */
export interface FollowedSum {
  count: number;
  /** The earliest `next_action_at`. */
  firstDue: number | null;
  /** The earliest and the latest `accepted_at`. */
  oldest: number | null;
  newest: number | null;
}

/**
 * Accepted rows that are not due for a read of their own at `now`, but by `dueBy`, and that were accepted after `after`
 * and up to `until` (epoch ms).
 */
export interface FollowedQuery {
  now: number;
  dueBy: number;
  after: number;
  until: number;
}

const followedSql = (place: number) =>
  `SELECT ${place} AS place, COUNT(*) AS count, MIN(next_action_at) AS due, MIN(accepted_at) AS oldest, MAX(accepted_at) AS newest
   FROM rows WHERE batch_id = ? AND status = 'accepted' AND next_action_at > ? AND next_action_at <= ?
     AND accepted_at > ? AND accepted_at <= ? AND ${inFlight}`;
/** By the number of queries that one statement answers. */
const followedTexts = new Map(
  [[0], [0, 1, 2, 3]].map((places) => [places.length, `${places.map(followedSql).join(' UNION ALL ')} ORDER BY place`]),
);

/** For each query (one or four), the number of a batch's rows that match, and their times. One statement reads all. */
export async function followedRows(
  db: Queryable,
  batchId: string,
  queries: readonly FollowedQuery[],
): Promise<FollowedSum[]> {
  const params = queries.flatMap(({ now, dueBy, after, until }) => [batchId, now, dueBy, after, until]);
  const found = await db.values<[number, number, number | null, number | null, number | null]>(
    followedTexts.get(queries.length) as string,
    params,
  );
  return found.map(([, count, firstDue, oldest, newest]) => ({ count, firstDue, oldest, newest }));
}

/**
 * A page of the rows left in `sending`, in file order. At a start nothing is being sent, so each of them is a doubt.
 */
export function sendingRows(db: Queryable, batchId: string, limit: number): Promise<RowRecord[]> {
  const sql = `SELECT * FROM rows WHERE batch_id = ? AND status = 'sending' AND ${inFlight} ORDER BY +row_no LIMIT ?`;
  return db.query(sql, [batchId, limit]);
}

/** Whether rows of these batches that were first sent up to a time (epoch ms) have no answer yet. */
export async function isAnySending(db: Queryable, batchIds: readonly string[], until: number): Promise<boolean> {
  const sql = `SELECT row_no FROM rows WHERE batch_id = ? AND status = 'sending' AND ${inFlight} AND first_sent_at <= ? LIMIT 1`;
  for (const batchId of batchIds) if ((await readValue<number>(db, sql, [batchId, until])) !== null) return true;
  return false;
}
