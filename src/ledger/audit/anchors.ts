import type { Queryable } from '../drivers/database.ts';
import { insertRecord } from '../drivers/write.ts';

/** The head of a batch's audit chain, as it was stored outside the ledger. */
export interface AnchorRecord {
  batch_id: string;
  /** The place in a readable form: "file /mnt/audit/heads.jsonl". */
  place: string;
  /** The number of events in the chain, and the hash of the last one. */
  events: number;
  head: string;
  /** Epoch milliseconds. */
  anchored_at: number;
  /** The receipt of the place (a time-stamp, base64), or null. */
  receipt: string | null;
}

export async function insertAnchor(tx: Queryable, anchor: AnchorRecord): Promise<void> {
  await insertRecord(tx, 'anchors', anchor, 'ON CONFLICT (batch_id, place, head) DO NOTHING');
}

/** The anchored heads of a batch's chain, in order of time. */
export function anchorsOf(db: Queryable, batchId: string): Promise<AnchorRecord[]> {
  return db.query('SELECT * FROM anchors WHERE batch_id = ? ORDER BY anchored_at, place, head', [batchId]);
}

/** Whether this head was stored in this place. */
export async function isAnchored(db: Queryable, place: string, head: string): Promise<boolean> {
  return (await db.query('SELECT 1 FROM anchors WHERE place = ? AND head = ? LIMIT 1', [place, head])).length > 0;
}

/** Whether any head of a batch, or of any batch (null), was stored in this place. */
export async function hasAnchors(db: Queryable, place: string, batchId: string | null): Promise<boolean> {
  const sql = 'SELECT 1 FROM anchors WHERE place = ? AND (batch_id = ? OR CAST(? AS TEXT) IS NULL) LIMIT 1';
  return (await db.query(sql, [place, batchId, batchId])).length > 0;
}

/**
 * Finished batches whose chain has grown since its head was last stored in this place; the oldest first. The
 * publication of reports does not count, because the reports contain the head.
 */
export function batchesToAnchor(
  db: Queryable,
  place: string,
  limit: number,
): Promise<{ batch_id: string; account: string; audit_seq: number; audit_head: string }[]> {
  return db.query(
    `SELECT batch_id, account, audit_seq, audit_head FROM batches WHERE status = 'completed' AND NOT EXISTS
       (SELECT 1 FROM anchors WHERE anchors.batch_id = batches.batch_id AND anchors.place = ?
         AND anchors.head = (SELECT hash FROM events WHERE events.batch_id = anchors.batch_id AND events.seq = anchors.events)
         AND NOT EXISTS
         (SELECT 1 FROM events WHERE events.batch_id = batches.batch_id AND events.seq > anchors.events
            AND events.kind <> 'batch.report'))
     ORDER BY completed_at, batch_id LIMIT ?`,
    [place, limit],
  );
}
