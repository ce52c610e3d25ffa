import type { RowState } from '../../core/state/row-state.ts';
import { isLateSql } from '../audit/events.ts';
import type { BatchRecord } from '../batches/batches.ts';
import type { Queryable } from '../drivers/database.ts';
import { inFlight, overdue } from '../rows/rows.ts';

/** Word to somebody about one event, sent once. Times are epoch milliseconds. */
export interface OutboxEntry {
  /** What happened, uniquely: the same event is told to a recipient once, whatever restarts. */
  event_id: string;
  /** Whom it goes to, as the configuration names them: "email ann@example.com". */
  recipient: string;
  /** JSON of `Message` (notify/message.ts). */
  body: string;
  created_at: number;
  /** When it is tried next; null when it was sent, or given up. */
  due_at: number | null;
  attempts: number;
  sent_at: number | null;
  last_error: string | null;
}

/** Keeps word to be sent. False where this event was told to this recipient before. */
export async function addToOutbox(
  tx: Queryable,
  entry: Pick<OutboxEntry, 'event_id' | 'recipient' | 'body' | 'created_at'>,
): Promise<boolean> {
  const added = await tx.execute(
    `INSERT INTO outbox (event_id, recipient, body, created_at, due_at, attempts) VALUES (?, ?, ?, ?, ?, 0)
     ON CONFLICT (event_id, recipient) DO NOTHING`,
    [entry.event_id, entry.recipient, entry.body, entry.created_at, entry.created_at],
  );
  return added === 1;
}

/** Whether this event was told to this recipient, or is about to be. */
export async function isKept(db: Queryable, eventId: string, recipient: string): Promise<boolean> {
  const [entry] = await db.query('SELECT 1 FROM outbox WHERE event_id = ? AND recipient = ?', [eventId, recipient]);
  return entry !== undefined;
}

/** Notes that an event was told in the word of another (`notifiedIn`): it is never told by itself. */
export async function saveNotifiedIn(
  tx: Queryable,
  { event_id, recipient, created_at }: Pick<OutboxEntry, 'event_id' | 'recipient' | 'created_at'>,
  notifiedIn: string,
): Promise<void> {
  await tx.execute(
    `INSERT INTO outbox (event_id, recipient, body, created_at, due_at, attempts, last_error) VALUES (?, ?, '{}', ?, NULL, 0, ?)
     ON CONFLICT (event_id, recipient) DO NOTHING`,
    [event_id, recipient, created_at, `told with ${notifiedIn}`],
  );
}

/** Who has word that is due. */
export async function recipientsWaiting(db: Queryable, now: number): Promise<string[]> {
  const waiting = await db.query<{ recipient: string }>(
    'SELECT DISTINCT recipient FROM outbox WHERE due_at IS NOT NULL AND due_at <= ? ORDER BY recipient',
    [now],
  );
  return waiting.map(({ recipient }) => recipient);
}

/** A recipient's word that is due at `now`, the longest due; null where there is none. */
export async function nextNotification(db: Queryable, recipient: string, now: number): Promise<OutboxEntry | null> {
  const [entry] = await db.query<OutboxEntry>(
    `SELECT * FROM outbox WHERE recipient = ? AND due_at IS NOT NULL AND due_at <= ? ORDER BY due_at, event_id LIMIT 1`,
    [recipient, now],
  );
  return entry ?? null;
}

/**
 * Keeps word for whoever is about to send it, until a time (epoch ms); or makes it due at that time. False where
 * another process was sooner.
 */
export async function claimNotification(
  tx: Queryable,
  { event_id, recipient, due_at }: Pick<OutboxEntry, 'event_id' | 'recipient' | 'due_at'>,
  until: number,
): Promise<boolean> {
  const claimed = await tx.execute('UPDATE outbox SET due_at = ? WHERE event_id = ? AND recipient = ? AND due_at = ?', [
    until,
    event_id,
    recipient,
    due_at,
  ]);
  return claimed === 1;
}

/** Gives up all that waits for a recipient. Returns how much that was. */
export function giveUpNotification(tx: Queryable, recipient: string, why: string): Promise<number> {
  return tx.execute('UPDATE outbox SET due_at = NULL, last_error = ? WHERE recipient = ? AND due_at IS NOT NULL', [
    why,
    recipient,
  ]);
}

/** A recipient's word that could not be sent, and is tried again only after a time (epoch ms). */
export function postponedNotification(
  db: Queryable,
  recipient: string,
  afterMs: number,
): Promise<Pick<OutboxEntry, 'event_id' | 'recipient' | 'due_at'>[]> {
  return db.query(
    'SELECT event_id, recipient, due_at FROM outbox WHERE recipient = ? AND due_at > ? AND attempts > 0',
    [recipient, afterMs],
  );
}

/** Writes what came of an attempt. */
export async function noteAttempt(
  tx: Queryable,
  entry: Pick<OutboxEntry, 'event_id' | 'recipient' | 'due_at' | 'attempts' | 'sent_at' | 'last_error'>,
): Promise<void> {
  await tx.execute(
    'UPDATE outbox SET due_at = ?, attempts = ?, sent_at = ?, last_error = ? WHERE event_id = ? AND recipient = ?',
    [entry.due_at, entry.attempts, entry.sent_at, entry.last_error, entry.event_id, entry.recipient],
  );
}

/** The last event of the next stretch of the outbox, which has so many entries; null at its end. */
export async function endOfStretch(db: Queryable, afterEventId: string, entries: number): Promise<string | null> {
  const [last] = await db.query<{ event_id: string | null }>(
    'SELECT MAX(event_id) AS event_id FROM (SELECT event_id FROM outbox WHERE event_id > ? ORDER BY event_id LIMIT ?) AS stretch',
    [afterEventId, entries],
  );
  return last?.event_id ?? null;
}

/**
 * Drops word of a stretch that was kept before a time (epoch ms) and is due no more. Not that of a batch that is open:
 * its doubts and held rows are news for as long as they stand, and would be told again. Returns how much that was.
 */
export function dropNotification(
  tx: Queryable,
  { after, to }: { after: string; to: string },
  before: number,
): Promise<number> {
  return tx.execute(
    `DELETE FROM outbox WHERE event_id > ? AND event_id <= ? AND due_at IS NULL AND created_at < ? AND NOT EXISTS (
       SELECT 1 FROM batches WHERE status IN ('running', 'paused') AND event_id LIKE '%:' || batch_id || ':%')`,
    [after, to, before],
  );
}

/** A doubt that only a person can end: no look-up of it is scheduled. */
const waitsForAPerson = `rows.status = 'in_doubt' AND ${inFlight} AND rows.next_action_at IS NULL`;
/** A doubt that is looked up again, and may be sent again. */
const isLookedUp = `rows.status = 'in_doubt' AND ${inFlight} AND rows.next_action_at IS NOT NULL`;

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

/** The accounts that have something to send, or that may have to be sent again. */
export async function accountsSending(db: Queryable): Promise<string[]> {
  const accounts = await db.query<{ account: string }>(
    `SELECT DISTINCT account FROM batches WHERE status = 'running' AND (
       EXISTS (SELECT 1 FROM batch_counts WHERE batch_counts.batch_id = batches.batch_id
         AND batch_counts.status IN ('ready', 'sending') AND batch_counts.count > 0)
       OR EXISTS (SELECT 1 FROM rows WHERE rows.batch_id = batches.batch_id AND ${isLookedUp}))
     ORDER BY account`,
  );
  return accounts.map(({ account }) => account);
}

/** The accounts that have a batch under way. */
export async function accountsRunning(db: Queryable): Promise<string[]> {
  const accounts = await db.query<{ account: string }>(
    `SELECT DISTINCT account FROM batches WHERE status = 'running' ORDER BY account`,
  );
  return accounts.map(({ account }) => account);
}
