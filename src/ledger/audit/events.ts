import { sha256 } from '../../core/identity/ids.ts';
import type { Queryable } from '../drivers/database.ts';
import { makeInsert } from '../drivers/insert.ts';

/**
 * The audit log: append-only, one hash chain for each batch. An event says who did what, when and why. It carries no
 * phone numbers, names or texts of the file: rows are named by their number, so that erasing personal data leaves the
 * chain valid.
 */
export interface AuditEvent {
  batch_id: string;
  /** 1 for the first event of the batch, without gaps. */
  seq: number;
  /** Epoch milliseconds. */
  at: number;
  /** Who: "engine", "intake", or a person's name as the operating system or the session gives it. */
  actor: string;
  /** What, as `thing.happened`: "row.send", "batch.approve". */
  kind: string;
  row_no: number | null;
  /** Canonical JSON of `EventData`. */
  body: string;
  /** SHA-256 (hex) of the predecessor's hash followed by `chainText` of this event. */
  hash: string;
}

/** Flat, so that its canonical form is plain JSON with sorted keys. */
export type EventData = Record<string, string | number | boolean | null>;

/** The predecessor of a batch's first event. */
export const chainStart = '0'.repeat(64);

/** JSON with sorted keys: the same data always gives the same text. */
export function canonicalData(data: EventData): string {
  const names = sortedNames(data);
  const sorted: EventData = {};
  for (let index = 0; index < names.length; index++) {
    const name = names[index] as string;
    sorted[name] = data[name] as EventData[string];
  }
  return JSON.stringify(sorted);
}

/** A handful of names, of every event: `sort` would make more garbage than all the rest of it. */
function sortedNames(data: EventData): string[] {
  const names = Object.keys(data);
  for (let next = 1; next < names.length; next++) {
    const name = names[next] as string;
    let place = next;
    for (; place > 0 && (names[place - 1] as string) > name; place--) names[place] = names[place - 1] as string;
    names[place] = name;
  }
  return names;
}

/** What the hash covers besides the predecessor: every field of the event but the hash itself. */
function chainText(event: Omit<AuditEvent, 'hash'>): string {
  return JSON.stringify([event.batch_id, event.seq, event.at, event.actor, event.kind, event.row_no, event.body]);
}

export function chainHash(previousHash: string, event: Omit<AuditEvent, 'hash'>): string {
  return sha256(previousHash + chainText(event));
}

export const insertEvents = makeInsert<AuditEvent>('events', [
  'batch_id',
  'seq',
  'at',
  'actor',
  'kind',
  'row_no',
  'body',
  'hash',
]);

/** The end of a batch's chain. */
export async function chainHead(db: Queryable, batchId: string): Promise<{ seq: number; hash: string } | null> {
  const [head] = await db.query<{ seq: number; hash: string }>(
    'SELECT audit_seq AS seq, audit_head AS hash FROM batches WHERE batch_id = ?',
    [batchId],
  );
  return head ?? null;
}

/** Moves the end of the chain. False when somebody else appended since `fromSeq` was read. */
export async function moveChainHead(
  tx: Queryable,
  batchId: string,
  fromSeq: number,
  head: { seq: number; hash: string },
): Promise<boolean> {
  const changed = await tx.execute(
    'UPDATE batches SET audit_seq = ?, audit_head = ? WHERE batch_id = ? AND audit_seq = ?',
    [head.seq, head.hash, batchId, fromSeq],
  );
  return changed === 1;
}

/** A page of a batch's events in their order, after `afterSeq` (0 for the first page). */
export function pageEvents(db: Queryable, batchId: string, afterSeq: number, limit: number): Promise<AuditEvent[]> {
  return db.query('SELECT * FROM events WHERE batch_id = ? AND seq > ? ORDER BY seq LIMIT ?', [
    batchId,
    afterSeq,
    limit,
  ]);
}

/** Of these events, those that tell what failed payments were charged, and whether that came back. */
export function pageChargeEvents(
  db: Queryable,
  batchId: string,
  afterSeq: number,
  limit: number,
): Promise<AuditEvent[]> {
  return db.query(
    `SELECT * FROM events WHERE batch_id = ? AND seq > ? AND kind IN ('row.fail', 'row.retry', 'row.refund', 'row.changed_late')
       ORDER BY seq LIMIT ?`,
    [batchId, afterSeq, limit],
  );
}

/** The same of the rows of a later generation alone, and when the service took each of their payments. */
export function pageRetriedCharges(
  db: Queryable,
  batchId: string,
  afterSeq: number,
  limit: number,
): Promise<AuditEvent[]> {
  return db.query(
    `SELECT * FROM events WHERE batch_id = ? AND seq > ?
       AND kind IN ('row.accept', 'row.fail', 'row.retry', 'row.refund', 'row.changed_late')
       AND row_no IN (SELECT row_no FROM rows WHERE batch_id = ? AND generation > 1)
       ORDER BY seq LIMIT ?`,
    [batchId, afterSeq, batchId, limit],
  );
}

/** A page of the events, in their order, by which a payment is sent or followed, or is not any more. */
export function pageActivity(
  db: Queryable,
  batchId: string,
  afterSeq: number,
  limit: number,
): Promise<{ seq: number; at: number; kind: string; row_no: number }[]> {
  return db.query(
    `SELECT seq, at, kind, row_no FROM events WHERE batch_id = ? AND seq > ?
       AND kind IN ('row.send', 'row.unsent', 'row.doubt', 'row.accept', 'row.adopt', 'row.review', 'row.complete', 'row.fail')
       ORDER BY seq LIMIT ?`,
    [batchId, afterSeq, limit],
  );
}

/** When an event of a batch was (epoch ms), by its place in the chain; null where there is none. */
export async function eventTime(db: Queryable, batchId: string, seq: number): Promise<number | null> {
  const [event] = await db.query<{ at: number }>('SELECT at FROM events WHERE batch_id = ? AND seq = ?', [
    batchId,
    seq,
  ]);
  return event?.at ?? null;
}

/**
 * What the service says of a row that has ended: the row stays as it ended, and the event alone, or a column of its
 * own, tells.
 */
export const lateKinds = ['row.refund', 'row.contradicted', 'row.changed_late'] as const;

/** That an event is one of these, as the index of them says it. */
export const isLateSql = lateKinds.map((kind) => `kind = '${kind}'`).join(' OR ');

/** When such an event was written last after `afterSeq` (epoch ms), or null where there is none. */
export async function lastLateAt(db: Queryable, batchId: string, afterSeq: number): Promise<number | null> {
  const [last] = await db.query<{ at: number | null }>(
    `SELECT MAX(at) AS at FROM events WHERE batch_id = ? AND seq > ? AND (${isLateSql})`,
    [batchId, afterSeq],
  );
  return last?.at ?? null;
}
