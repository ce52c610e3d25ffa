import { pagesOf } from '../../core/basics/pages.ts';
import { sha256 } from '../../core/identity/ids.ts';
import type { EventWhy } from '../../core/state/event-whys.ts';
import type { Queryable } from '../drivers/database.ts';
import { makeInsert } from '../drivers/insert.ts';
import { readOne, readValue } from '../drivers/read.ts';
import { kindsSql } from './event-kinds.ts';
import type { EventMember } from './event-members.ts';

/**
 * The audit log: append-only, with one hash chain for each batch. An event records who did what, when and why. It
 * contains no phone numbers, names or texts of the file, and identifies a row by its number in the file. So the chain
 * stays valid when personal data is erased.
 */
export interface AuditEvent {
  batch_id: string;
  /** 1 for the first event of the batch, without gaps. */
  seq: number;
  /** Epoch milliseconds. */
  at: number;
  /** The actor: "engine", "intake", or a person's name from the operating system or the session. */
  actor: string;
  /** The kind, as `thing.happened`: "row.send", "batch.approve". */
  kind: string;
  row_no: number | null;
  /** Canonical JSON of `EventData`. */
  body: string;
  /** SHA-256 (hex) of the predecessor's hash followed by `chainText` of this event. */
  hash: string;
}

/** The actors that are parts of the program. No person has such a name. */
export const programNames: readonly string[] = ['engine', 'intake', 'reconcile', 'retention', 'notify', 'scheduler'];

/** Flat, so that its canonical form is plain JSON with sorted keys. */
export type EventData = Partial<Record<EventMember, string | number | boolean | null>>;

/** The kinds of events for which airbatch alone gives the reason. */
type ExplainedKind =
  | 'batch.pause_cleared'
  | 'batch.void_approvals'
  | 'row.doubt'
  | 'row.unsent'
  | 'row.contradicted'
  | 'row.changed_late';

/** Data with a reason that `whyReasonOf` knows. */
export type ExplainedData = Omit<EventData, 'why'> & { why?: EventWhy };

export type DataOf<Kind> = Kind extends ExplainedKind ? ExplainedData : EventData;

/**
 * The data in an event's body. Nothing if the body is damaged, which `walkChain` finds: the rest can still be shown.
 */
export function readData(body: string): Record<string, unknown> {
  try {
    return JSON.parse(body) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** The predecessor of a batch's first event. */
export const chainStart = '0'.repeat(64);

/** What stands for the batch in the hashes and anchors of the chain of access events. No batch has this id. */
export const accessChainName = 'access';

/** JSON with sorted keys: the same data always gives the same text. */
export function canonicalData(data: EventData): string {
  const names = sortedNames(data);
  const sorted: EventData = {};
  for (let index = 0; index < names.length; index++) {
    const name = names[index] as EventMember;
    sorted[name] = data[name] as string | number | boolean | null;
  }
  return JSON.stringify(sorted);
}

/**
 * Sorts the names of an event. An event has only a few names, and `sort` would create more garbage than everything else
 * here.
 */
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

/** The text that the hash covers after the predecessor's hash: every field of the event except the hash itself. */
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
  return readOne(db, 'SELECT audit_seq AS seq, audit_head AS hash FROM batches WHERE batch_id = ?', [batchId]);
}

/** Moves the end of the chain. Returns false if another writer has appended an event since `fromSeq` was read. */
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

/** All events of a batch after this one, page by page. */
export function eventPages(db: Queryable, batchId: string, limit: number, afterSeq = 0): AsyncGenerator<AuditEvent[]> {
  return pagesOf(limit, (last) => pageEvents(db, batchId, last?.seq ?? afterSeq, limit));
}

/** A page of the events that record what failed payments were charged, and whether that was refunded. */
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

/**
 * The same, only for rows of a later generation, and also the events that record when the service accepted their
 * payments.
 */
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

/** After these events, a row's payment is sent or followed; after the others, it is not any more. */
const followedKinds = ['row.send', 'row.doubt', 'row.accept', 'row.adopt'];
const activityKinds = kindsSql([...followedKinds, 'row.unsent', 'row.escalate', 'row.complete', 'row.fail']);

/** A page of the events, in order, with which a payment is sent or followed, or stops being followed. */
export function pageActivity(
  db: Queryable,
  batchId: string,
  afterSeq: number,
  limit: number,
): Promise<{ seq: number; at: number; kind: string; row_no: number }[]> {
  return db.query(
    `SELECT seq, at, kind, row_no FROM events WHERE batch_id = ? AND seq > ? AND kind IN (${activityKinds})
       ORDER BY seq LIMIT ?`,
    [batchId, afterSeq, limit],
  );
}

/** Whether a row's payment is followed after an event of `pageActivity`. */
export function isFollowedAfter(kind: string): boolean {
  return followedKinds.includes(kind);
}

/** The time of an event of a batch (epoch ms), by its place in the chain; null if there is none. */
export function eventTime(db: Queryable, batchId: string, seq: number): Promise<number | null> {
  return readValue(db, 'SELECT at FROM events WHERE batch_id = ? AND seq = ?', [batchId, seq]);
}

/**
 * The kinds of events about a row that has already ended. The row's state does not change: only the event, or a
 * separate column, records what the service reports.
 */
export const lateKinds = ['row.refund', 'row.contradicted', 'row.changed_late'] as const;

/** SQL: the event is of one of these kinds. The text must equal the condition of their index. */
export const isLateSql = lateKinds.map((kind) => `kind = '${kind}'`).join(' OR ');

/** The time of the last such event after `afterSeq` (epoch ms); null if there is none. */
export function lastLateAt(db: Queryable, batchId: string, afterSeq: number): Promise<number | null> {
  const sql = `SELECT MAX(at) FROM events WHERE batch_id = ? AND seq > ? AND (${isLateSql})`;
  return readValue(db, sql, [batchId, afterSeq]);
}
