import { allEnded } from '../../core/basics/all-ended.ts';
import { assert } from '../../core/basics/assert.ts';
import type { Queryable } from '../drivers/database.ts';
import {
  type AuditEvent,
  canonicalData,
  chainHash,
  chainHead,
  type EventData,
  insertEvents,
  moveChainHead,
} from './events.ts';

export interface NewEvent {
  batchId: string;
  kind: string;
  data: EventData;
  rowNo: number | null;
}

/** Appends events to the audit chains of batches. The events are in the ledger once `flush` has returned. */
export interface ChainWriter {
  /** Undefined if there is nothing to wait for, which is so for nearly every change of a row. */
  append(event: NewEvent): Promise<void> | undefined;
  /** Reads the end of the batch's chain in advance: an event will probably follow. */
  expect(batchId: string): void;
  /** Returns the batches whose chains have grown. */
  flush(): Promise<string[]>;
}

/** The end of a batch's audit chain, as the transaction found it and as it leaves it. */
interface Head {
  from: number;
  seq: number;
  hash: string;
}

/** The most events that wait in memory, to be inserted together. */
const eventsHeldMax = 480;

/** `at`: the time of all events (epoch ms); `actor`: who causes them; `through`: the door. */
export function makeChainWriter(
  tx: Queryable,
  { at, actor, through }: { at: number; actor: string; through: string | undefined },
): ChainWriter {
  const heads = new Map<string, Head>();
  const reading = new Map<string, Promise<Head>>();
  const events: AuditEvent[] = [];

  const writeEvents = () => insertEvents(tx, events.splice(0));
  const readHead = async (batchId: string): Promise<Head> => {
    const stored = await chainHead(tx, batchId);
    assert(stored, `no batch ${batchId} to append an event to`);
    const head = { from: stored.seq, seq: stored.seq, hash: stored.hash };
    heads.set(batchId, head);
    return head;
  };
  /** Read once, also if several changes of a batch are written at the same time. */
  const headOf = (batchId: string): Promise<Head> => {
    const head = reading.get(batchId) ?? readHead(batchId);
    reading.set(batchId, head);
    return head;
  };
  const link = (head: Head, { batchId, kind, data, rowNo }: NewEvent) => {
    head.seq += 1;
    const body = canonicalData(through === undefined ? data : { ...data, through });
    const event = { batch_id: batchId, seq: head.seq, at, actor, kind, row_no: rowNo, body, hash: '' };
    event.hash = chainHash(head.hash, event);
    head.hash = event.hash;
    events.push(event);
  };
  const appendLater = async (event: NewEvent) => {
    const head = heads.get(event.batchId) ?? (await headOf(event.batchId));
    if (events.length >= eventsHeldMax) await writeEvents();
    link(head, event);
  };
  const move = async (batchId: string, { from, seq, hash }: Head) => {
    const moved = await moveChainHead(tx, batchId, from, { seq, hash });
    assert(moved, `the audit chain of batch ${batchId} was moved by somebody else`);
  };

  return {
    append(event) {
      const head = heads.get(event.batchId);
      if (!head || events.length >= eventsHeldMax) return appendLater(event);
      link(head, event);
      return undefined;
    },
    expect(batchId) {
      // Whoever appends an event handles the failure.
      if (!reading.has(batchId)) headOf(batchId).catch(() => undefined);
    },
    async flush() {
      const grown = [...heads].filter(([, { from, seq }]) => seq > from);
      await allEnded([writeEvents(), ...grown.map(([batchId, head]) => move(batchId, head))]);
      return grown.map(([batchId]) => batchId);
    },
  };
}
