import type { Queryable } from '../drivers/database.ts';
import { readColumn, readOne, readValue } from '../drivers/read.ts';
import { insertRecord } from '../drivers/write.ts';
import { isLookedUp } from './news.ts';

/** A notification to one recipient about one event, sent once. Times are epoch milliseconds. */
export interface OutboxEntry {
  /** The event. A recipient is notified of it once, whatever restarts. */
  event_id: string;
  /** The recipient, as the configuration names it: "email ann@example.com". */
  recipient: string;
  /** JSON of `Message` (notify/message.ts). */
  body: string;
  created_at: number;
  /** When it is tried next; null after it was sent or given up. */
  due_at: number | null;
  attempts: number;
  sent_at: number | null;
  last_error: string | null;
}

/** Stores a notification to be sent. Returns false if this recipient was notified of this event before. */
export async function addToOutbox(
  tx: Queryable,
  entry: Pick<OutboxEntry, 'event_id' | 'recipient' | 'body' | 'created_at'>,
): Promise<boolean> {
  const due = { ...entry, due_at: entry.created_at, attempts: 0 };
  return (await insertRecord(tx, 'outbox', due, 'ON CONFLICT (event_id, recipient) DO NOTHING')) === 1;
}

/** Whether this recipient was or will be notified of this event. */
export async function isKept(db: Queryable, eventId: string, recipient: string): Promise<boolean> {
  const [entry] = await db.query('SELECT 1 FROM outbox WHERE event_id = ? AND recipient = ?', [eventId, recipient]);
  return entry !== undefined;
}

/** Records that the notification of another event (`notifiedIn`) covers this one. */
export async function saveNotifiedIn(
  tx: Queryable,
  { event_id, recipient, created_at }: Pick<OutboxEntry, 'event_id' | 'recipient' | 'created_at'>,
  notifiedIn: string,
): Promise<void> {
  const last_error = `told with ${notifiedIn}`;
  const covered = { event_id, recipient, body: '{}', created_at, due_at: null, attempts: 0, last_error };
  await insertRecord(tx, 'outbox', covered, 'ON CONFLICT (event_id, recipient) DO NOTHING');
}

/** The recipients with notifications that are due. */
export function recipientsWaiting(db: Queryable, now: number): Promise<string[]> {
  const sql = 'SELECT DISTINCT recipient FROM outbox WHERE due_at IS NOT NULL AND due_at <= ? ORDER BY recipient';
  return readColumn(db, sql, [now]);
}

/** A recipient's notification that is due at `now`, the longest due first; null if there is none. */
export function nextNotification(db: Queryable, recipient: string, now: number): Promise<OutboxEntry | null> {
  const sql = `SELECT * FROM outbox WHERE recipient = ? AND due_at IS NOT NULL AND due_at <= ? ORDER BY due_at, event_id LIMIT 1`;
  return readOne(db, sql, [recipient, now]);
}

/**
 * Claims a notification for the process that is about to send it. It is due again at `until` (epoch ms). Returns false
 * if another process was first.
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

/** Gives up all notifications that wait for a recipient. Returns how many there were. */
export function giveUpNotification(tx: Queryable, recipient: string, why: string): Promise<number> {
  return tx.execute('UPDATE outbox SET due_at = NULL, last_error = ? WHERE recipient = ? AND due_at IS NOT NULL', [
    why,
    recipient,
  ]);
}

/** A recipient's notifications whose delivery failed and that are due only after `afterMs` (epoch ms). */
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

/** Stores the outcome of an attempt. */
export async function noteAttempt(
  tx: Queryable,
  entry: Pick<OutboxEntry, 'event_id' | 'recipient' | 'due_at' | 'attempts' | 'sent_at' | 'last_error'>,
): Promise<void> {
  await tx.execute(
    'UPDATE outbox SET due_at = ?, attempts = ?, sent_at = ?, last_error = ? WHERE event_id = ? AND recipient = ?',
    [entry.due_at, entry.attempts, entry.sent_at, entry.last_error, entry.event_id, entry.recipient],
  );
}

/** The last event id of the next `entries` entries of the outbox; null at its end. */
export function endOfStretch(db: Queryable, afterEventId: string, entries: number): Promise<string | null> {
  const sql =
    'SELECT MAX(event_id) FROM (SELECT event_id FROM outbox WHERE event_id > ? ORDER BY event_id LIMIT ?) AS stretch';
  return readValue(db, sql, [afterEventId, entries]);
}

/**
 * Deletes the notifications between two event ids that were stored before a time (epoch ms) and are not due. Those of
 * an open batch stay: its doubts and held rows remain news, and people would be notified again. Returns how many were
 * deleted.
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

/** The accounts with rows to send, or with rows that may have to be sent again. */
export function accountsSending(db: Queryable): Promise<string[]> {
  const sql = `SELECT DISTINCT account FROM batches WHERE status = 'running' AND (
       EXISTS (SELECT 1 FROM batch_counts WHERE batch_counts.batch_id = batches.batch_id
         AND batch_counts.status IN ('ready', 'sending') AND batch_counts.count > 0)
       OR EXISTS (SELECT 1 FROM rows WHERE rows.batch_id = batches.batch_id AND ${isLookedUp}))
     ORDER BY account`;
  return readColumn(db, sql);
}

/** The accounts with a running batch. */
export function accountsRunning(db: Queryable): Promise<string[]> {
  return readColumn(db, `SELECT DISTINCT account FROM batches WHERE status = 'running' ORDER BY account`);
}
