import { appendFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorMessage } from '../../core/basics/errors.ts';
import { makeFolders } from '../../core/basics/folders.ts';
import { isoTime } from '../../core/time/clock.ts';
import { accessHead } from '../../ledger/access/access-events.ts';
import { batchesToAnchor, insertAnchor, isAnchored } from '../../ledger/audit/anchors.ts';
import { accessChainName } from '../../ledger/audit/events.ts';
import { anchorLine } from '../../reports/sentences/anchor-lines.ts';
import type { Session } from '../session/session.ts';
import { type Anchor, placeOf } from '../settings/anchor-places.ts';
import { putHead } from './bucket-anchors.ts';

interface Head {
  batch_id: string;
  account: string;
  events: number;
  head: string;
}

/** How many batches' heads are read from the ledger at once. */
const batchesPerPass = 500;
const deadlineMs = 15_000;
const answerBytesMax = 64 * 1024;
/** How long the reports of a batch wait for its head to be anchored: the deadline of one request, and a little more. */
const patienceMs = deadlineMs + 5_000;
/** How long to wait after a place has failed. Each further failure doubles the wait. */
const retryFirstMs = 5_000;
const retryMostMs = 3_600_000;

/** Stores the heads of finished batches, and that of access events, in every configured place until it is stopped. */
export interface Anchoring {
  /**
   * Stores the missing heads. Resolves when they are stored, or when a place has failed or takes too long. Such a place
   * is tried again and again, and until it succeeds nothing waits for it.
   */
  put(): Promise<void>;
  /** The places, and whether each is failing: heads wait there since the last attempt. */
  places(): ReadonlyMap<string, boolean>;
  /** Heads that are not stored by then are stored by the program that ends the next batch. */
  stop(): Promise<void>;
}

/** The same once, for a command that ends afterwards. */
export async function anchorFinished(session: Session): Promise<void> {
  const anchoring = makeAnchoring(session);
  await anchoring.put();
  await anchoring.stop();
}

export function makeAnchoring(session: Session): Anchoring {
  const { clock, config } = session;
  const stopping = new AbortController();
  const places = config.anchors.map((anchor) => makePlace(session, anchor, stopping.signal));
  return {
    async put() {
      const done = new AbortController();
      const tried = Promise.all(places.map((place) => place.put()));
      await Promise.race([tried, clock.sleep(patienceMs, done.signal)]);
      done.abort();
    },
    places: () => new Map(places.map(({ name, isFailing }) => [name, isFailing()])),
    async stop() {
      stopping.abort();
      await Promise.all(places.map((place) => place.ended()));
    },
  };
}

/** One of the places. At most one request to it is in flight. */
function makePlace(session: Session, anchor: Anchor, signal: AbortSignal) {
  const { clock, log } = session;
  const place = placeOf(anchor);
  let work: Promise<void> | null = null;
  let isAsked = false;
  let isFailing = false;

  const goOn = async (onFailure: () => void) => {
    let waitMs = retryFirstMs;
    while (isAsked && !signal.aborted) {
      isAsked = false;
      try {
        while ((await publishHeads(session, anchor, signal)) === batchesPerPass);
        isFailing = false;
      } catch (error) {
        log.warn('the heads of audit chains could not be anchored; airbatch tries again', {
          place,
          error: errorMessage(error),
        });
        isAsked = true;
        isFailing = true;
        onFailure();
        await clock.sleep(waitMs, signal);
        waitMs = Math.min(2 * waitMs, retryMostMs);
      }
    }
    work = null;
  };

  return {
    name: place,
    isFailing: () => isFailing,
    /**
     * Resolves when the heads are stored or the place has failed. Resolves at once if it is already at work, because
     * then it has failed before or is slow.
     */
    async put(): Promise<void> {
      isAsked = true;
      if (work) return;
      const failed = Promise.withResolvers<void>();
      work = goOn(failed.resolve);
      await Promise.race([work, failed.promise]);
    },
    ended: async () => work,
  };
}

/** Returns how many batches' heads were stored in the place: as many as one pass takes, or all. */
async function publishHeads(session: Session, anchor: Anchor, signal: AbortSignal): Promise<number> {
  const { db, clock } = session;
  const place = placeOf(anchor);
  const publish = async (head: Head) => {
    const receipt = await put(session, anchor, head, signal);
    const { account: _, ...anchored } = head;
    await insertAnchor(db, { ...anchored, place, anchored_at: clock.now(), receipt });
  };
  const { seq, hash } = await accessHead(db);
  if (seq > 0 && !(await isAnchored(db, place, hash)))
    await publish({ batch_id: accessChainName, account: '', events: seq, head: hash });
  const batches = await batchesToAnchor(db, place, batchesPerPass);
  for (const { batch_id, account, audit_seq, audit_head } of batches)
    await publish({ batch_id, account, events: audit_seq, head: audit_head });
  return batches.length;
}

async function put(
  { clock, random }: Session,
  anchor: Anchor,
  head: Head,
  signal: AbortSignal,
): Promise<string | null> {
  signal.throwIfAborted();
  const line = anchorLine({ ...head, at: isoTime(clock.now()) });
  switch (anchor.kind) {
    case 'file':
      // Auditors read the folder; only its owner writes to it.
      makeFolders(dirname(anchor.path), 0o755);
      await appendFile(anchor.path, line, { flush: true, mode: 0o644 });
      return null;
    case 'url': {
      const headers = { 'content-type': 'application/json', ...bearer(anchor.token?.value) };
      await post(anchor.url, headers, line, signal);
      return null;
    }
    case 's3':
      await putHead(anchor.bucket, head, line, deadline(signal));
      return null;
    case 'rfc3161': {
      // Loaded only if it is needed, because few installations have a time-stamping authority.
      const { isGranted, timeStampRequest } = await import('./time-stamp.ts');
      const nonce = Number.parseInt(random.hex(4), 16);
      const headers = { 'content-type': 'application/timestamp-query' };
      const answer = await post(anchor.url, headers, timeStampRequest(head.head, nonce), signal);
      if (!isGranted(answer)) throw new Error('the authority granted no time-stamp');
      return Buffer.from(answer).toString('base64');
    }
  }
}

function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

function deadline(stopped: AbortSignal): AbortSignal {
  return AbortSignal.any([stopped, AbortSignal.timeout(deadlineMs)]);
}

async function post(
  url: string,
  headers: Record<string, string>,
  body: string | Uint8Array,
  stopped: AbortSignal,
): Promise<Uint8Array> {
  const { request } = await import('undici');
  const answer = await request(url, { method: 'POST', headers, body, signal: deadline(stopped) });
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer.body) {
    bytes += (chunk as Buffer).byteLength;
    if (bytes > answerBytesMax) throw new Error('the answer is too long');
    chunks.push(chunk as Buffer);
  }
  if (answer.statusCode < 200 || answer.statusCode > 299) throw new Error(`it answered HTTP ${answer.statusCode}`);
  return Buffer.concat(chunks);
}
