import type { Clock } from '../../core/time/clock.ts';
import { canonicalData, chainHash, chainStart, type EventData } from '../audit/events.ts';
import type { Database, Queryable } from '../drivers/database.ts';

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
interface AccessActor {
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

/** The chain's name in its hashes. No batch has it. */
const chainName = 'access';

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

async function append(tx: Queryable, event: Omit<AccessEvent, 'seq' | 'hash'>): Promise<void> {
  const [head] = await tx.query<{ seq: number; hash: string }>(
    'SELECT seq, hash FROM access_events ORDER BY seq DESC LIMIT 1',
  );
  const seq = (head?.seq ?? 0) + 1;
  const hash = hashAfter(head?.hash ?? chainStart, { ...event, seq });
  await tx.execute('INSERT INTO access_events (seq, at, actor, kind, body, hash) VALUES (?, ?, ?, ?, ?, ?)', [
    seq,
    event.at,
    event.actor,
    event.kind,
    event.body,
    hash,
  ]);
}

function hashAfter(previous: string, event: Omit<AccessEvent, 'hash'>): string {
  return chainHash(previous, { ...event, batch_id: chainName, row_no: null });
}

/** A page of the events before number `before` (undefined: from the latest on), the newest first. */
export function pageAccessEvents(db: Queryable, before: number | undefined, limit: number): Promise<AccessEvent[]> {
  return db.query('SELECT * FROM access_events WHERE seq < ? ORDER BY seq DESC LIMIT ?', [
    before ?? Number.MAX_SAFE_INTEGER,
    limit,
  ]);
}

const eventsPerPage = 500;

/** The number of the first event that does not follow from its predecessor; null if the chain is whole. */
export async function accessChainFault(db: Queryable): Promise<number | null> {
  let [seq, hash] = [0, chainStart];
  for (;;) {
    const events = await db.query<AccessEvent>('SELECT * FROM access_events WHERE seq > ? ORDER BY seq LIMIT ?', [
      seq,
      eventsPerPage,
    ]);
    for (const event of events) {
      if (event.seq !== seq + 1 || event.hash !== hashAfter(hash, event)) return seq + 1;
      [seq, hash] = [event.seq, event.hash];
    }
    if (events.length < eventsPerPage) return null;
  }
}
