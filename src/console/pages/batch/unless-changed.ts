import { get } from '../../api/client.ts';
import { codeOf } from '../../api/problem.ts';
import { type ChainEvent, dataIn } from '../../base/event-text.ts';
import { t } from '../../texts/i18n.ts';

/** Others have decided about the batch since this person saw it. With `etag`, the person acts on what it is now. */
export class ChangedByOthers extends Error {
  readonly events: readonly ChainEvent[];
  readonly etag: string;

  constructor(events: readonly ChainEvent[], etag: string) {
    super(t('failure.changed'));
    this.events = events;
    this.etag = etag;
  }
}

/** Kinds with which the program, too, changes what a person decides about. */
const decisions = ['batch.pause', 'batch.pause_added', 'batch.complete', 'batch.reject', 'batch.cancel'];

/** Rows of a batch that is being sent change all the time. This is how often a change is tried between two of them. */
const attemptsMax = 20;

/** The tag of a batch has the number of its last event. A proxy that compresses answers adds marks to it. */
const seqOf = (etag: string) => Number(/[0-9]+/.exec(etag)?.[0]);

/**
 * Carries out a change unless others have decided about the batch since `etag`. That rows were sent or ended meanwhile
 * is no reason to ask the person again. Throws `ChangedByOthers`.
 */
export async function unlessChanged<Result>(
  { batchId, etag, person }: { batchId: string; etag: string; person: string },
  change: (etag: string) => Promise<Result>,
): Promise<Result> {
  let seen = etag;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await change(seen);
    } catch (error) {
      if (codeOf(error) !== 'CHANGED_MEANWHILE' || attempt === attemptsMax) throw error;
      const since = await eventsSince(batchId, seqOf(seen));
      const last = since.at(-1);
      if (last === undefined) throw error;
      seen = `"${last.seq}"`;
      const others = since.filter((event) => event.actor !== person && isDecision(event));
      if (others.length > 0) throw new ChangedByOthers(others, seen);
    }
  }
}

/** A person's events name the door through which the person acted. */
function isDecision({ kind, body }: ChainEvent): boolean {
  return decisions.includes(kind) || 'through' in dataIn(body);
}

async function eventsSince(batchId: string, seq: number): Promise<ChainEvent[]> {
  const found: ChainEvent[] = [];
  for (let after: number | null = seq; after !== null; ) {
    const query = { batch_id: batchId, after };
    const page: { events: ChainEvent[]; next: number | null } = await get('/api/v1/events', { query });
    found.push(...page.events);
    after = page.next;
  }
  return found;
}
