import { anchorsOf } from '../audit/anchors.ts';
import { type AuditEvent, chainHash, chainHead, chainStart, eventPages } from '../audit/events.ts';
import type { BatchRecord } from '../batches/batches.ts';
import type { Queryable } from '../drivers/database.ts';

/** Whether the audit chain of a batch is intact. */
export interface ChainState {
  batch_id: string;
  /** How many events were checked. */
  events: number;
  /** The first fault; null if the chain is intact. */
  broken: string | null;
}

/** The head of a batch's chain as a place outside the ledger stores it. */
export interface OutsideHead {
  place: string;
  /** The number of events in the chain, and the hash of the last one. */
  events: number;
  head: string;
}

const eventsPerPage = 1_000;

/**
 * The check of a batch's history, for reports and audits alike. Walks the audit chain from its first event to its end
 * when the batch was read, passes each page of events to `each`, and compares the chain with its anchored heads: those
 * that the ledger names, and `outside`, which were read from their places.
 */
export async function walkChain(
  db: Queryable,
  { batch_id, audit_seq, audit_head }: Pick<BatchRecord, 'batch_id' | 'audit_seq' | 'audit_head'>,
  { each, outside = [] }: { each?: (events: readonly AuditEvent[]) => void; outside?: readonly OutsideHead[] } = {},
): Promise<ChainState> {
  const anchors = [...(await anchorsOf(db, batch_id)), ...outside];
  const heads = new Map(anchors.map(({ events }) => [events, null as string | null]));
  let previous = chainStart;
  let seq = 0;
  let broken: string | null = null;
  let isLonger = false;
  for await (const page of eventPages(db, batch_id, eventsPerPage)) {
    const checked = page.filter((event) => event.seq <= audit_seq);
    for (const event of checked) {
      if (event.seq !== seq + 1) broken ??= `event ${seq + 1} is missing`;
      if (chainHash(previous, event) !== event.hash)
        broken ??= `event ${event.seq} does not follow from the one before it`;
      previous = event.hash;
      seq = event.seq;
      if (heads.has(seq)) heads.set(seq, event.hash);
    }
    each?.(checked);
    isLonger = checked.length < page.length;
    if (isLonger) break;
  }
  // If the batch has changed since it was read, events and anchors after that end are no fault.
  const isNow = (await chainHead(db, batch_id))?.seq === audit_seq;
  if (seq !== audit_seq || previous !== audit_head || (isLonger && isNow))
    broken ??= 'it does not end where the batch says';
  broken ??= notAsAnchored(isNow ? anchors : anchors.filter(({ events }) => events <= audit_seq), heads);
  return { batch_id, events: seq, broken };
}

/**
 * A forger can rewrite a whole chain so that each event follows from the one before. Its heads then differ from the
 * anchored ones.
 */
export function notAsAnchored(
  anchors: readonly OutsideHead[],
  heads: ReadonlyMap<number, string | null>,
): string | null {
  const other = anchors.find(({ events, head }) => heads.get(events) !== head);
  if (!other) return null;
  return (heads.get(other.events) ?? null) === null
    ? `event ${other.events}, which is anchored (${other.place}), is missing`
    : `event ${other.events} differs from the anchored one (${other.place})`;
}
