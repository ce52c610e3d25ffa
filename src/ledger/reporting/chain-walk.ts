import { type AuditEvent, chainHash, chainStart, pageEvents } from '../audit/events.ts';
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

const eventsPerPage = 1_000;

/**
 * Walks the audit chain of a batch, from its first event to the chain's end when the batch was read, and passes each
 * page of events to `each`.
 */
export async function walkChain(
  db: Queryable,
  { batch_id, audit_seq, audit_head }: Pick<BatchRecord, 'batch_id' | 'audit_seq' | 'audit_head'>,
  each: (events: readonly AuditEvent[]) => void,
): Promise<ChainState> {
  let previous = chainStart;
  let seq = 0;
  let broken: string | null = null;
  for (;;) {
    // Events that are appended meanwhile come after that end, and are skipped.
    const page = (await pageEvents(db, batch_id, seq, eventsPerPage)).filter((event) => event.seq <= audit_seq);
    for (const event of page) {
      if (event.seq !== seq + 1) broken ??= `event ${seq + 1} is missing`;
      if (chainHash(previous, event) !== event.hash)
        broken ??= `event ${event.seq} does not follow from the one before it`;
      previous = event.hash;
      seq = event.seq;
    }
    each(page);
    if (page.length < eventsPerPage) break;
  }
  if (seq !== audit_seq || previous !== audit_head) broken ??= 'it does not end where the batch says';
  return { batch_id, events: seq, broken };
}
