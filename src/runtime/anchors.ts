import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { request } from 'undici';
import { isoTime } from '../core/clock.ts';
import { errorMessage } from '../core/errors.ts';
import { batchesToAnchor, insertAnchor } from '../ledger/anchors.ts';
import { anchorLine } from '../reports/anchors.ts';
import { type Anchor, placeOf } from './anchor-places.ts';
import type { Session } from './session.ts';

interface Head {
  batch_id: string;
  account: string;
  events: number;
  head: string;
}

/** Batches whose heads are put in a place at one time; the rest follow when the next batch ends. */
const batchesPerPass = 500;
const deadlineMs = 15_000;
const answerBytesMax = 64 * 1024;

/**
 * Puts the heads of finished batches in every place of the configuration where they are not yet. A place that cannot be reached
 * is tried again when the next batch ends: nothing waits for it.
 */
export async function anchorFinished(session: Session): Promise<void> {
  const { db, clock, config, log } = session;
  for (const anchor of config.anchors) {
    const place = placeOf(anchor);
    try {
      for (const { batch_id, account, audit_seq, audit_head } of await batchesToAnchor(db, place, batchesPerPass)) {
        const head = { batch_id, account, events: audit_seq, head: audit_head };
        const receipt = await put(session, anchor, head);
        await insertAnchor(db, { ...head, place, anchored_at: clock.now(), receipt });
      }
    } catch (error) {
      log.warn('the heads of audit chains could not be put outside; they are when the next batch ends', {
        place,
        message: errorMessage(error),
      });
    }
  }
}

async function put({ clock, random }: Session, anchor: Anchor, head: Head): Promise<string | null> {
  const line = anchorLine({ ...head, at: isoTime(clock.now()) });
  switch (anchor.kind) {
    case 'file':
      await mkdir(dirname(anchor.path), { recursive: true });
      await appendFile(anchor.path, line, { flush: true });
      return null;
    case 'url': {
      const headers = { 'content-type': 'application/json', ...bearer(anchor.token) };
      await post(anchor.url, headers, line);
      return null;
    }
    case 'rfc3161': {
      // Loaded when it is needed: few installations have a time-stamping authority.
      const { isGranted, timeStampRequest } = await import('./time-stamp.ts');
      const nonce = Number.parseInt(random.hex(4), 16);
      const headers = { 'content-type': 'application/timestamp-query' };
      const answer = await post(anchor.url, headers, timeStampRequest(head.head, nonce));
      if (!isGranted(answer)) throw new Error('the authority granted no time-stamp');
      return Buffer.from(answer).toString('base64');
    }
  }
}

function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

async function post(url: string, headers: Record<string, string>, body: string | Uint8Array): Promise<Uint8Array> {
  const signal = AbortSignal.timeout(deadlineMs);
  const answer = await request(url, { method: 'POST', headers, body, signal });
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
