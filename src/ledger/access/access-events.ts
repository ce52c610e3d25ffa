import { assert } from '../../core/basics/assert.ts';
import { pagesOf } from '../../core/basics/pages.ts';
import type { Clock } from '../../core/time/clock.ts';
import { accessChainName, canonicalData, chainHash, chainStart, type EventData } from '../audit/events.ts';
import type { Database, Queryable } from '../drivers/database.ts';
import { insertRecord } from '../drivers/write.ts';

/** What happened to a person, a session or an API key. */
export interface AccessEvent {
  /** 1 for the first event, without gaps. */
  seq: number;
  /** Epoch milliseconds. */
  at: number;
  actor: string;
  /** The kind, as `thing.happened`: "user.create", "session.begin". */
  kind: string;
  /** Canonical JSON of `EventData`. It contains no secret. */
  body: string;
  /** SHA-256 (hex) of the predecessor's hash and this event, as in the chain of a batch. */
  hash: string;
}

/** Who changes something, on which ledger, at which door. */
export interface AccessActor {
  db: Database;
  clock: Pick<Clock, 'now'>;
  person: string;
  through: string;
}

/** A transaction that changes who may do what. */
export interface AccessChange {
  readonly tx: Queryable;
  readonly at: number;
  readonly person: string;
  /** Appends an event to the chain. */
  note(kind: string, data: EventData): Promise<void>;
}

/** Runs `work` in one transaction, whose events are in the chain when it is durable. */
export function changeAccess<Result>(
  { db, clock, person, through }: AccessActor,
  work: (change: AccessChange) => Promise<Result>,
): Promise<Result> {
  return db.transact((tx) => {
    const at = clock.now();
    const note = (kind: string, data: EventData) =>
      append(tx, { at, actor: person, kind, body: canonicalData({ ...data, through }) });
    return work({ tx, at, person, note });
  });
}

/** The end of the chain: number and hash of its last event. It is stored apart, so that no end can be cut off. */
export interface AccessHead {
  seq: number;
  hash: string;
}

export async function accessHead(db: Queryable): Promise<AccessHead> {
  const [head] = await db.query<AccessHead>('SELECT seq, hash FROM access_head');
  assert(head, 'the ledger has no head of the chain of access events');
  return head;
}

async function append(tx: Queryable, event: Omit<AccessEvent, 'seq' | 'hash'>): Promise<void> {
  const head = await accessHead(tx);
  const seq = head.seq + 1;
  const hash = hashAfter(head.hash, { ...event, seq });
  await tx.execute('UPDATE access_head SET seq = ?, hash = ?', [seq, hash]);
  await insertRecord(tx, 'access_events', { ...event, seq, hash });
}

function hashAfter(previous: string, event: Omit<AccessEvent, 'hash'>): string {
  return chainHash(previous, { ...event, batch_id: accessChainName, row_no: null });
}

/** The kinds of events that say that a person has seen complete phone numbers. */
const numbersKinds = `'report.read', 'numbers.read'`;

/**
 * A page of the events before number `before` (undefined: from the latest on) and before the time `until`, the newest
 * first. `onlyNumbers`: only those that say that a person has seen complete phone numbers.
 */
export function pageAccessEvents(
  db: Queryable,
  {
    before,
    until,
    limit,
    onlyNumbers,
  }: { before: number | undefined; until: number; limit: number; onlyNumbers: boolean },
): Promise<AccessEvent[]> {
  const condition = onlyNumbers ? ` AND kind IN (${numbersKinds})` : '';
  return db.query(`SELECT * FROM access_events WHERE seq < ? AND at < ?${condition} ORDER BY seq DESC LIMIT ?`, [
    before ?? Number.MAX_SAFE_INTEGER,
    until,
    limit,
  ]);
}

const eventsPerPage = 500;

/** The chain as it was read from its beginning. */
export interface AccessChain {
  events: number;
  /** The number of the first event that is missing or does not follow from its predecessor; null if it is whole. */
  brokenAt: number | null;
  /** The hashes of the events that were asked for. */
  hashes: ReadonlyMap<number, string>;
}

/**
 * Reads the whole chain, in a snapshot of the ledger: an event that is appended meanwhile would look like a fault.
 * `seqs`: the events whose hashes are wanted.
 */
export async function readAccessChain(db: Queryable, seqs: ReadonlySet<number> = new Set()): Promise<AccessChain> {
  let [seq, hash] = [0, chainStart];
  const hashes = new Map<number, string>();
  const sql = 'SELECT * FROM access_events WHERE seq > ? ORDER BY seq LIMIT ?';
  const read = (last: AccessEvent | undefined, limit: number) => db.query<AccessEvent>(sql, [last?.seq ?? 0, limit]);
  for await (const events of pagesOf(eventsPerPage, read))
    for (const event of events) {
      if (event.seq !== seq + 1 || event.hash !== hashAfter(hash, event))
        return { events: seq, brokenAt: seq + 1, hashes };
      [seq, hash] = [event.seq, event.hash];
      if (seqs.has(seq)) hashes.set(seq, hash);
    }
  const head = await accessHead(db);
  // Else it was cut off, or continued without its head.
  const isWhole = head.seq === seq && head.hash === hash;
  return { events: seq, brokenAt: isWhole ? null : Math.min(head.seq, seq) + 1, hashes };
}
