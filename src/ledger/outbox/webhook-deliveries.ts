import { kindsSql } from '../audit/event-kinds.ts';
import type { Queryable } from '../drivers/database.ts';
import { readOne, readValue } from '../drivers/read.ts';
import { insertRecord, saveRecord } from '../drivers/write.ts';

/** One message for one endpoint. Times are epoch ms. */
export interface DeliveryRecord {
  delivery_no: number;
  endpoint_id: string;
  /** The same for all endpoints and all attempts. */
  message_id: string;
  event: string;
  account: string;
  batch_id: string | null;
  /** JSON, as it is sent. */
  body: string;
  created_at: number;
  /** When it is sent next; null if it has arrived or is given up. */
  due_at: number | null;
  give_up_at: number;
  attempts: number;
  delivered_at: number | null;
  failed_at: number | null;
}

export interface AttemptRecord {
  delivery_no: number;
  attempt: number;
  at: number;
  /** The HTTP status; null if there was no answer. */
  status: number | null;
  duration_ms: number;
  error: string | null;
}

/** A batch with new events in its chain, and the position from which to read. */
export interface BatchWithNews {
  batch_id: string;
  account: string;
  run_id: string;
  audit_seq: number;
  seq: number;
}

export function batchesWithNews(db: Queryable, limit: number): Promise<BatchWithNews[]> {
  return db.query(
    `SELECT batches.batch_id, account, run_id, audit_seq, COALESCE(webhook_cursors.seq, 0) AS seq FROM batches
     LEFT JOIN webhook_cursors ON webhook_cursors.batch_id = batches.batch_id
     WHERE audit_seq > COALESCE(webhook_cursors.seq, 0) ORDER BY batches.created_at LIMIT ?`,
    [limit],
  );
}

/** The events of these kinds in a batch's chain, from the one after `seq` to the one with `to`. */
export function eventsOfKinds(
  db: Queryable,
  { batch_id, seq, audit_seq }: BatchWithNews,
  kinds: readonly string[],
  limit: number,
): Promise<{ seq: number; at: number; kind: string; row_no: number | null; body: string }[]> {
  return db.query(
    `SELECT seq, at, kind, row_no, body FROM events WHERE batch_id = ? AND seq > ? AND seq <= ?
       AND kind IN (${kindsSql(kinds)}) ORDER BY seq LIMIT ?`,
    [batch_id, seq, audit_seq, limit],
  );
}

export async function saveCursor(tx: Queryable, batchId: string, seq: number): Promise<void> {
  await saveRecord(tx, 'webhook_cursors', ['batch_id'], { batch_id: batchId, seq });
}

/** Whether the account could send when webhooks were last made; null if that is not known. */
export async function lastGate(db: Queryable, account: string): Promise<boolean | null> {
  const isOpen = await readValue<number>(db, 'SELECT is_open FROM webhook_gates WHERE account = ?', [account]);
  return isOpen === null ? null : isOpen === 1;
}

export async function saveGate(tx: Queryable, account: string, isOpen: boolean): Promise<void> {
  await saveRecord(tx, 'webhook_gates', ['account'], { account, is_open: isOpen ? 1 : 0 });
}

type NewDelivery = Pick<
  DeliveryRecord,
  'endpoint_id' | 'message_id' | 'event' | 'account' | 'batch_id' | 'body' | 'created_at' | 'give_up_at'
>;

export async function addDelivery(tx: Queryable, one: NewDelivery): Promise<void> {
  await tx.execute(
    `INSERT INTO webhook_deliveries (delivery_no, endpoint_id, message_id, event, account, batch_id, body, created_at,
       due_at, give_up_at, attempts)
     SELECT COALESCE(MAX(delivery_no), 0) + 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0 FROM webhook_deliveries
     WHERE true ON CONFLICT (endpoint_id, message_id) DO NOTHING`,
    [
      ...[one.endpoint_id, one.message_id, one.event, one.account, one.batch_id, one.body],
      ...[one.created_at, one.created_at, one.give_up_at],
    ],
  );
}

/** The next delivery of an endpoint. Those of one batch go in order: a later one waits for an earlier one. */
export function nextDelivery(db: Queryable, endpointId: string, now: number): Promise<DeliveryRecord | null> {
  const sql = `SELECT * FROM webhook_deliveries AS one WHERE endpoint_id = ? AND due_at IS NOT NULL AND due_at <= ?
       AND NOT EXISTS (SELECT 1 FROM webhook_deliveries AS earlier WHERE earlier.endpoint_id = one.endpoint_id
         AND earlier.due_at IS NOT NULL AND earlier.batch_id = one.batch_id
         AND earlier.delivery_no < one.delivery_no)
     ORDER BY delivery_no LIMIT 1`;
  return readOne(db, sql, [endpointId, now]);
}

export function findDelivery(db: Queryable, deliveryNo: number): Promise<DeliveryRecord | null> {
  return readOne(db, 'SELECT * FROM webhook_deliveries WHERE delivery_no = ?', [deliveryNo]);
}

/** Stores how an attempt ended, and when the next one is due. */
export async function saveAttempt(
  tx: Queryable,
  attempt: AttemptRecord,
  after: Pick<DeliveryRecord, 'due_at' | 'delivered_at' | 'failed_at'>,
): Promise<void> {
  await insertRecord(tx, 'webhook_attempts', attempt);
  await tx.execute(
    `UPDATE webhook_deliveries SET attempts = ?, due_at = ?, delivered_at = ?, failed_at = ? WHERE delivery_no = ?`,
    [attempt.attempt, after.due_at, after.delivered_at, after.failed_at, attempt.delivery_no],
  );
}

/** Sends a delivery again, with as many attempts as a new one. */
export async function sendAgain(tx: Queryable, deliveryNo: number, now: number, giveUpAt: number): Promise<void> {
  await tx.execute(
    `UPDATE webhook_deliveries SET due_at = ?, give_up_at = ?, delivered_at = NULL, failed_at = NULL
     WHERE delivery_no = ?`,
    [now, giveUpAt, deliveryNo],
  );
}

/** The deliveries of an endpoint, the newest first, before `before` (null: from the newest). */
export function pageDeliveries(
  db: Queryable,
  endpointId: string,
  before: number | null,
  limit: number,
): Promise<DeliveryRecord[]> {
  return db.query(
    `SELECT * FROM webhook_deliveries WHERE endpoint_id = ? AND delivery_no < ? ORDER BY delivery_no DESC LIMIT ?`,
    [endpointId, before ?? Number.MAX_SAFE_INTEGER, limit],
  );
}

export function attemptsOf(db: Queryable, deliveryNo: number): Promise<AttemptRecord[]> {
  return db.query('SELECT * FROM webhook_attempts WHERE delivery_no = ? ORDER BY attempt', [deliveryNo]);
}

/** How many deliveries are still to be sent, and how many endpoints are disabled because nothing arrived there. */
export async function countUnsent(db: Queryable): Promise<{ unsent: number; disabled: number }> {
  const [count] = await db.query<{ unsent: number; disabled: number }>(
    `SELECT (SELECT COUNT(*) FROM webhook_deliveries WHERE due_at IS NOT NULL) AS unsent,
       (SELECT COUNT(*) FROM webhook_endpoints WHERE failed_at IS NOT NULL AND deleted_at IS NULL) AS disabled`,
  );
  return count ?? { unsent: 0, disabled: 0 };
}

/** Deletes up to `limit` settled deliveries from before a time. Returns how many there were. */
export async function pruneDeliveries(tx: Queryable, before: number, limit: number): Promise<number> {
  const old = await tx.query<{ delivery_no: number }>(
    'SELECT delivery_no FROM webhook_deliveries WHERE created_at < ? AND due_at IS NULL ORDER BY created_at LIMIT ?',
    [before, limit],
  );
  for (const { delivery_no } of old) {
    await tx.execute('DELETE FROM webhook_attempts WHERE delivery_no = ?', [delivery_no]);
    await tx.execute('DELETE FROM webhook_deliveries WHERE delivery_no = ?', [delivery_no]);
  }
  return old.length;
}
