import type { RowState } from '../../core/state/row-state.ts';
import { isLateSql } from '../audit/events.ts';
import type { BatchRecord } from '../batches/batches.ts';
import type { Queryable } from '../drivers/database.ts';
import { inFlight, overdue } from '../rows/in-flight-rows.ts';

/** A doubt that only a person can end: no look-up of it is scheduled. */
const waitsForAPerson = `rows.status = 'in_doubt' AND ${inFlight} AND rows.next_action_at IS NULL`;
/** A doubt that is looked up again, and may be sent again. */
export const isLookedUp = `rows.status = 'in_doubt' AND ${inFlight} AND rows.next_action_at IS NOT NULL`;

/** What is told of by the row: for how long it is so, each row and generation is news once. */
const newsOfRows = { in_doubt: waitsForAPerson, overdue } as const;
export type NewsOfRows = keyof typeof newsOfRows;

function unreportedSql(kind: NewsOfRows): string {
  return `SELECT event_id FROM (
       SELECT '${kind}:' || batch_id || ':' || row_no || ':' || generation AS event_id FROM rows
         WHERE batch_id = ? AND ${newsOfRows[kind]}) AS news
     WHERE NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.event_id = news.event_id AND recipient = ?)
     ORDER BY event_id`;
}

/**
 * The rows of a batch that only a person can end (doubts), or may (those that the service has for too long), and that
 * a recipient was not told of. Each is an event of its own, by its row and generation: however many there are, a new
 * one is seen, and asking for an old one again is no news.
 */
export async function unreportedRows(
  db: Queryable,
  kind: NewsOfRows,
  batchId: string,
  recipient: string,
): Promise<string[]> {
  const unreported = await db.query<{ event_id: string }>(unreportedSql(kind), [batchId, recipient]);
  return unreported.map(({ event_id }) => event_id);
}

/**
 * The slots of a job that were skipped since a time (epoch ms) and that a recipient was not told of, in their order:
 * an event each.
 */
export async function unreportedSkips(
  db: Queryable,
  job: string,
  sinceMs: number,
  recipient: string,
): Promise<string[]> {
  const unreported = await db.query<{ event_id: string }>(
    `SELECT event_id FROM (
       SELECT due_at, 'slot_missed:' || job || ':' || due_at || ':' || state AS event_id FROM slots
         WHERE job = ? AND state = 'skipped' AND COALESCE(ended_at, due_at) >= ?) AS skips
     WHERE NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.event_id = skips.event_id AND recipient = ?)
     ORDER BY due_at`,
    [job, sinceMs, recipient],
  );
  return unreported.map(({ event_id }) => event_id);
}

/**
 * What the service has said of a row that had ended and people are told of: not that the money of what failed came
 * back, which cost nothing, nor what is read later of a row of whose money they were told that it came back.
 */
const isLateNews = `(${isLateSql}) AND NOT (kind = 'row.refund' AND body LIKE '%"status":"failed"%')
  AND NOT (kind = 'row.changed_late' AND EXISTS (SELECT 1 FROM rows
    WHERE rows.batch_id = events.batch_id AND rows.row_no = events.row_no AND rows.refunded_at < events.at))`;

/**
 * The late words of the service on a batch since a time (epoch ms) that a recipient was not told of, in their order:
 * an event each.
 */
export async function unreportedLateChanges(
  db: Queryable,
  batchId: string,
  sinceMs: number,
  recipient: string,
): Promise<string[]> {
  const unreported = await db.query<{ event_id: string }>(
    `SELECT event_id FROM (
       SELECT seq, 'changed_late:' || batch_id || ':' || seq AS event_id FROM events
         WHERE batch_id = ? AND at >= ? AND ${isLateNews}) AS late
     WHERE NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.event_id = late.event_id AND recipient = ?)
     ORDER BY seq`,
    [batchId, sinceMs, recipient],
  );
  return unreported.map(({ event_id }) => event_id);
}

/** The batches of which the service has said something late since a time, and nothing more after another (epoch ms). */
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

/** How many rows of a batch are in one of these states, where its `batch_counts` are grouped. */
function sumOf(...states: RowState[]): string {
  const inOne = states.map((state) => `batch_counts.status = '${state}'`).join(' OR ');
  return `SUM(CASE WHEN ${inOne} THEN batch_counts.count ELSE 0 END)`;
}

/** Found from the end of the chain: after a pause little is added to it, while all of it may be millions of events. */
const lastPause = `(SELECT last.seq FROM events AS last
  WHERE last.batch_id = batches.batch_id AND last.kind = 'batch.pause' ORDER BY last.seq DESC LIMIT 1)`;

/**
 * What there may be word of, since a time and up to now (epoch ms): each by what makes it that very event, as the end
 * of a slot that has failed, which may fail again when a person runs it, or after it was done; rows (`NewsOfRows`) by
 * their batch, and slots that were skipped by their job. That a batch waits with held rows alone is one by how many
 * rows had ended: again only once something was sent, not for each row that is skipped.
 */
export function newsSince(
  db: Queryable,
  sinceMs: number,
  now: number,
): Promise<{ kind: string; event_id: string; batch_id: string | null; account: string | null; job: string | null }[]> {
  return db.query(
    `SELECT 'needs_approval' AS kind, 'needs_approval:' || batch_id AS event_id, batch_id, account, job FROM batches
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
         SELECT 1 FROM rows WHERE rows.batch_id = batches.batch_id AND ${waitsForAPerson})
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
