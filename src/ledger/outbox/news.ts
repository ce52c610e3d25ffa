import type { RowState } from '../../core/state/row-state.ts';
import { isLateSql } from '../audit/events.ts';
import type { BatchRecord } from '../batches/batches.ts';
import type { Queryable } from '../drivers/database.ts';
import { readColumn } from '../drivers/read.ts';
import { inFlight, leftToPerson, overdue } from '../rows/in-flight-rows.ts';

/** A doubt with a scheduled lookup; the row may be sent again. */
export const isLookedUp = `rows.status = 'in_doubt' AND ${inFlight} AND rows.next_action_at IS NOT NULL`;

/** Conditions that are reported for each row and generation once, however long they last. */
const newsOfRows = { in_doubt: leftToPerson, overdue } as const;
export type NewsOfRows = keyof typeof newsOfRows;

function unreportedSql(kind: NewsOfRows): string {
  return `SELECT event_id FROM (
       SELECT '${kind}:' || batch_id || ':' || row_no || ':' || generation AS event_id FROM rows
         WHERE batch_id = ? AND ${newsOfRows[kind]}) AS news
     WHERE NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.event_id = news.event_id AND recipient = ?)
     ORDER BY event_id`;
}

/**
 * The rows of a batch that a person must resolve (doubts) or may resolve (overdue rows), and that the recipient was not
 * notified of. Each row and generation is an event of its own. So a new one is noticed however many there are, and
 * another look at an old one is no news.
 */
export function unreportedRows(db: Queryable, kind: NewsOfRows, batchId: string, recipient: string): Promise<string[]> {
  return readColumn(db, unreportedSql(kind), [batchId, recipient]);
}

/**
 * The slots of a job that were skipped since a time (epoch ms) and that the recipient was not notified of, in order:
 * each is an event.
 */
export function unreportedSkips(db: Queryable, job: string, sinceMs: number, recipient: string): Promise<string[]> {
  const sql = `SELECT event_id FROM (
       SELECT due_at, 'slot_missed:' || job || ':' || due_at || ':' || state AS event_id FROM slots
         WHERE job = ? AND state = 'skipped' AND COALESCE(ended_at, due_at) >= ?) AS skips
     WHERE NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.event_id = skips.event_id AND recipient = ?)
     ORDER BY due_at`;
  return readColumn(db, sql, [job, sinceMs, recipient]);
}

/**
 * Late changes of ended rows that people are notified of. Two are left out: the refund of a failed row, which cost
 * nothing; and a later change of a row whose refund was already reported.
 */
const isLateNews = `(${isLateSql}) AND NOT (kind = 'row.refund' AND body LIKE '%"status":"failed"%')
  AND NOT (kind = 'row.changed_late' AND EXISTS (SELECT 1 FROM rows
    WHERE rows.batch_id = events.batch_id AND rows.row_no = events.row_no AND rows.refunded_at < events.at))`;

/**
 * The late changes of a batch since a time (epoch ms) that the recipient was not notified of, in order: each is an
 * event.
 */
export function unreportedLateChanges(
  db: Queryable,
  batchId: string,
  sinceMs: number,
  recipient: string,
): Promise<string[]> {
  const sql = `SELECT event_id FROM (
       SELECT seq, 'changed_late:' || batch_id || ':' || seq AS event_id FROM events
         WHERE batch_id = ? AND at >= ? AND ${isLateNews}) AS late
     WHERE NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.event_id = late.event_id AND recipient = ?)
     ORDER BY seq`;
  return readColumn(db, sql, [batchId, sinceMs, recipient]);
}

/** The batches with late changes since a time, the last of them before another time (epoch ms). */
export function lateChangeBatches(
  db: Queryable,
  sinceMs: number,
  quietSinceMs: number,
): Promise<Pick<BatchRecord, 'batch_id' | 'account' | 'job'>[]> {
  return db.query(
    `SELECT batch_id, account, job FROM batches WHERE batch_id IN (
       SELECT batch_id FROM events WHERE at >= ? AND ${isLateNews} GROUP BY batch_id HAVING MAX(at) <= ?)
     ORDER BY batch_id`,
    [sinceMs, quietSinceMs],
  );
}

/** How many rows of a batch are in one of these states; for queries that group `batch_counts`. */
function sumOf(...states: RowState[]): string {
  const inOne = states.map((state) => `batch_counts.status = '${state}'`).join(' OR ');
  return `SUM(CASE WHEN ${inOne} THEN batch_counts.count ELSE 0 END)`;
}

/** Searched from the end of the chain, which may have millions of events, few of them after a pause. */
const lastPause = `(SELECT last.seq FROM events AS last
  WHERE last.batch_id = batches.batch_id AND last.kind = 'batch.pause' ORDER BY last.seq DESC LIMIT 1)`;

/**
 * All news since a time and up to now (epoch ms). The id names exactly one event: the failure of a slot, for example,
 * has its time, since a slot may fail again when a person runs it. Rows (`NewsOfRows`) are reported by batch, and
 * skipped slots by job. A batch that waits only for held rows is identified by the number of its ended rows: it is news
 * again only after something was sent, not after each row that is skipped.
 */
export function newsSince(
  db: Queryable,
  sinceMs: number,
  now: number,
): Promise<{ kind: string; event_id: string; batch_id: string | null; account: string | null; job: string | null }[]> {
  return db.query(
    `SELECT 'needs_approval' AS kind, 'needs_approval:' || batch_id || COALESCE(':' ||
         (SELECT MAX(approved_at) FROM approvals WHERE approvals.batch_id = batches.batch_id), '') AS event_id,
         batch_id, account, job FROM batches
       WHERE status = 'awaiting_approval' AND created_at >= ?
     UNION ALL
     SELECT 'finished', 'finished:' || batch_id || ':' || completed_at, batch_id, account, job FROM batches
       WHERE status = 'completed' AND completed_at >= ?
     UNION ALL
     SELECT 'paused', 'paused:' || batches.batch_id || ':' || events.seq, batches.batch_id, account, job
       FROM batches JOIN events ON events.batch_id = batches.batch_id AND events.seq = ${lastPause}
       WHERE status = 'paused' AND events.at >= ?
     UNION ALL
     SELECT 'in_doubt', 'in_doubt:' || batches.batch_id, batches.batch_id, account, job FROM batches
       WHERE status IN ('running', 'paused') AND EXISTS (
         SELECT 1 FROM rows WHERE rows.batch_id = batches.batch_id AND ${leftToPerson})
     UNION ALL
     SELECT 'overdue', 'overdue:' || batches.batch_id, batches.batch_id, account, job FROM batches
       WHERE status IN ('running', 'paused') AND EXISTS (
         SELECT 1 FROM rows WHERE rows.batch_id = batches.batch_id AND ${overdue})
     UNION ALL
     SELECT 'held', 'held:' || batches.batch_id || ':' || ${sumOf('completed', 'failed')}, batches.batch_id, account, job
       FROM batches JOIN batch_counts ON batch_counts.batch_id = batches.batch_id
       WHERE batches.status = 'running' AND NOT EXISTS (
         SELECT 1 FROM rows WHERE rows.batch_id = batches.batch_id AND ${isLookedUp})
       GROUP BY batches.batch_id, account, job
       HAVING ${sumOf('held')} > 0 AND ${sumOf('ready', 'sending', 'accepted')} = 0
     UNION ALL
     SELECT 'late', 'late:' || batch_id || ':' || finish_by, batch_id, account, job FROM batches
       WHERE status IN ('awaiting_approval', 'approved', 'running', 'paused') AND finish_by >= ? AND finish_by < ?
     UNION ALL
     SELECT 'slot_missed', 'slot_missed:' || job || ':' || due_at || ':failed:' || COALESCE(ended_at, 0), NULL, NULL, job
       FROM slots WHERE state = 'failed' AND COALESCE(ended_at, due_at) >= ?
     UNION ALL
     SELECT 'slot_missed', 'slots_missed:' || job, NULL, NULL, job FROM slots
       WHERE state = 'skipped' AND COALESCE(ended_at, due_at) >= ? GROUP BY job
     UNION ALL
     SELECT 'low_balance', 'low_balance:' || account || ':' || message_id, NULL, account, NULL FROM inbox
       WHERE outcome = 'low_balance' AND received_at >= ?`,
    [sinceMs, sinceMs, sinceMs, sinceMs, now, sinceMs, sinceMs, sinceMs],
  );
}
