import type { ServerResponse } from 'node:http';
import type { Clock } from '../../core/time/clock.ts';
import { type AuditEvent, chainHead, pageEvents } from '../../ledger/audit/events.ts';
import type { Database } from '../../ledger/drivers/database.ts';

/** How often the ledger is read for new events of a watched batch (ms): one read for all watchers. */
const lookMs = 1_000;
/** How often a stream without events sends a sign of life (ms): proxies close a connection after a silent minute. */
const heartbeatMs = 15_000;
const eventsPerPage = 500;

interface StreamDeps {
  db: Database;
  clock: Clock;
}

interface Stream {
  batchId: string;
  /** The number of the event after which it begins. */
  after: number;
  signal: AbortSignal;
  /** Whether the caller may still see the batch. */
  isAllowed: () => Promise<boolean>;
}

/** Calls watchers when their batches have new events. */
export interface EventHub {
  /** Calls `onNews` now and after new events of the batch, until the function that it returns is called. */
  watch(batchId: string, onNews: () => void): () => void;
}

export function makeEventHub({ db, clock }: StreamDeps): EventHub {
  const watched = new Map<string, { watchers: Set<() => void>; stopping: AbortController }>();

  const look = async (batchId: string, watchers: ReadonlySet<() => void>, signal: AbortSignal) => {
    let seen: number | null = null;
    while (!signal.aborted) {
      // If the ledger cannot be read for the moment, there are no new events.
      const head = await chainHead(db, batchId).catch(() => null);
      const seq: number | null = head?.seq ?? seen;
      if (seq !== seen) for (const onNews of watchers) onNews();
      seen = seq;
      await clock.sleep(lookMs, signal);
    }
  };

  return {
    watch(batchId, onNews) {
      let entry = watched.get(batchId);
      if (entry === undefined) {
        entry = { watchers: new Set(), stopping: new AbortController() };
        watched.set(batchId, entry);
        void look(batchId, entry.watchers, entry.stopping.signal);
      }
      const { watchers, stopping } = entry;
      watchers.add(onNews);
      onNews();
      return () => {
        watchers.delete(onNews);
        if (watchers.size > 0) return;
        stopping.abort();
        watched.delete(batchId);
      };
    },
  };
}

/**
 * Writes the events of a batch after number `after` as server-sent events, and goes on with those that come, until the
 * caller goes away, `signal` is aborted, or `isAllowed` says no. The id of each is its number in the batch, so that a
 * caller who comes again goes on where the stream broke.
 */
export async function streamEvents(
  { db, clock, hub }: StreamDeps & { hub: EventHub },
  response: ServerResponse,
  { batchId, after, signal, isAllowed }: Stream,
): Promise<void> {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const ending = AbortSignal.any([signal, gone.signal]);
  let news = Promise.withResolvers<void>();
  const unwatch = hub.watch(batchId, () => news.resolve());
  try {
    for (let last = after; !ending.aborted; ) {
      await Promise.race([news.promise, clock.sleep(heartbeatMs, ending)]);
      news = Promise.withResolvers<void>();
      if (ending.aborted || !(await isAllowed())) break;
      response.write(': the stream is open\n\n');
      last = await writeSince(db, response, { batchId, last, ending, isAllowed });
    }
  } finally {
    unwatch();
    response.end();
  }
}

/**
 * Writes the events after number `last`; returns the number of the last one written. A slow reader of a long history
 * may lose the permission between two pages.
 */
async function writeSince(
  db: Database,
  response: ServerResponse,
  { batchId, last, ending, isAllowed }: Omit<Stream, 'after' | 'signal'> & { last: number; ending: AbortSignal },
): Promise<number> {
  let written = last;
  for (let page: AuditEvent[] = []; !ending.aborted; ) {
    page = await pageEvents(db, batchId, written, eventsPerPage);
    const text = page.map((event) => `id: ${event.seq}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`);
    // A slow reader neither delays others nor fills the memory.
    if (text.length > 0 && !response.write(text.join(''))) await drained(response, ending);
    written = page.at(-1)?.seq ?? written;
    if (page.length < eventsPerPage || !(await isAllowed())) break;
  }
  return written;
}

function drained(response: ServerResponse, ending: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve);
    ending.addEventListener('abort', () => resolve(), { once: true });
  });
}
