import { createHmac } from 'node:crypto';
import { isCallable } from '../http/callable.ts';
import type { SandboxClock } from '../parts/clock.ts';
import type { Faults } from '../parts/faults.ts';
import type { Settings } from '../parts/options.ts';
import type { SandboxRandom } from '../parts/random.ts';
import type { Store } from '../parts/store.ts';
import type { NewDelivery, Scheme } from './webhooks.ts';

/** One line of the delivery log. */
export interface Delivery extends NewDelivery {
  /**
   * The origin of its address: each has a queue of its own, so that a receiver which does not answer holds up no
   * other.
   */
  target: string;
  status: 'waiting' | 'delivered' | 'failed';
  attempts: number;
  next_at: number | null;
  last_error: string | null;
  delivered_at: number | null;
}

/**
 * Sends one POST and returns its status. Rejects where there is no answer within `deadlineMs`. Redirects are not
 * followed.
 */
export type Post = (request: {
  url: string;
  headers: Record<string, string>;
  body: string;
  deadlineMs: number;
}) => Promise<number>;

export interface Deliveries {
  enqueue(delivery: NewDelivery): void;
  /** Starts to send what is due. `ended` is called whenever one was answered or given up. */
  pump(ended: () => void): void;
  nextDueAt(): number | null;
  /** Sends one again at once, whatever became of it. False: there is none of this id. */
  retry(id: string): boolean;
  log(): Delivery[];
  /** From here on nothing is sent or written; what is under way comes again after the next start. */
  stop(): void;
}

const minute = 60_000;
/** How long after each failed attempt the next one comes (spec sections 6.1 and 6.2). */
const retryDelays: Readonly<Record<Scheme, readonly number[]>> = {
  callback: [minute, 5 * minute, 30 * minute],
  registered: [minute, 5 * minute, 30 * minute, 120 * minute, 24 * 60 * minute],
};
/** A receiver must answer 2xx within this (spec section 6). */
const deadlineMs = 10_000;
/** Deliveries under way to one target at once. */
const perTargetMax = 20;
/** Lines of the delivery log that are shown. */
const logMax = 200;

interface DeliveryParts {
  store: Store;
  clock: SandboxClock;
  random: SandboxRandom;
  faults: Faults;
  settings: Pick<Settings, 'allowHttpCallbacks'>;
  post: Post;
}

export function makeDeliveries(parts: DeliveryParts): Deliveries {
  const { store, clock, faults } = parts;
  /** The deliveries under way, by target. */
  const underWay = new Map<string, Set<string>>();
  let isStopped = false;

  async function deliver(delivery: Delivery): Promise<void> {
    const error = faults.ofWebhook('webhook_lost') ? null : await attempt(parts, delivery);
    if (isStopped) return;
    const now = clock.now();
    const attempts = delivery.attempts + 1;
    const delay = retryDelays[delivery.scheme][attempts - 1];
    const status = error === null ? 'delivered' : delay === undefined ? 'failed' : 'waiting';
    store.run(
      'UPDATE deliveries SET status = ?, attempts = ?, next_at = ?, last_error = ?, delivered_at = ? WHERE id = ?',
      status,
      attempts,
      status === 'waiting' && delay !== undefined ? now + delay : null,
      error,
      status === 'delivered' ? now : null,
      delivery.id,
    );
  }

  async function start(delivery: Delivery, ended: () => void): Promise<void> {
    const { id, target } = delivery;
    const ofTarget = underWay.get(target) ?? new Set();
    underWay.set(target, ofTarget.add(id));
    try {
      await deliver(delivery);
    } finally {
      ofTarget.delete(id);
      if (ofTarget.size === 0) underWay.delete(target);
    }
    if (!isStopped) ended();
  }

  const next = (until: number, count: number) => nextDeliveries(store, underWay, until, count);

  return {
    enqueue(delivery) {
      const lateMs = faults.ofWebhook('webhook_late') ? faults.webhookLateMs : 0;
      store.insert('deliveries', {
        ...delivery,
        target: URL.canParse(delivery.url) ? new URL(delivery.url).origin : '',
        status: 'waiting',
        attempts: 0,
        next_at: delivery.created_at + lateMs,
        last_error: null,
        delivered_at: null,
      });
    },
    pump(ended) {
      const now = clock.now();
      // One by one: the first of them may fill its target.
      for (let [due] = next(now, 1); due; [due] = next(now, 1)) void start(due, ended);
    },
    nextDueAt: () => next(Number.MAX_SAFE_INTEGER, 1)[0]?.next_at ?? null,
    retry: (id) => store.run(`UPDATE deliveries SET status = 'waiting', next_at = ? WHERE id = ?`, clock.now(), id) > 0,
    log: () => store.all<Delivery>('SELECT * FROM deliveries ORDER BY created_at DESC, rowid DESC LIMIT ?', logMax),
    stop() {
      isStopped = true;
    },
  };
}

/** The next deliveries of targets that take one more, and that are not under way. */
function nextDeliveries(
  store: Store,
  underWay: ReadonlyMap<string, ReadonlySet<string>>,
  until: number,
  count: number,
): Delivery[] {
  const full = [...underWay].filter(([, ids]) => ids.size >= perTargetMax).map(([target]) => target);
  return store.all<Delivery>(
    `SELECT * FROM deliveries WHERE status = 'waiting' AND next_at <= ? AND target NOT IN (SELECT value FROM json_each(?))
         AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY next_at, rowid LIMIT ?`,
    until,
    JSON.stringify(full),
    JSON.stringify([...underWay.values()].flatMap((ids) => [...ids])),
    count,
  );
}

/** One attempt; null: it was acknowledged, else why not. */
async function attempt(
  { clock, faults, random, settings, post }: DeliveryParts,
  delivery: Delivery,
): Promise<string | null> {
  const { url, body } = delivery;
  if (!isCallable(url, settings)) return 'the address is neither https nor one that may be called in plain http';
  const send = (sent: string, key: string) =>
    post({ url, headers: headersOf(delivery, sent, key, clock.now()), body: sent, deadlineMs });
  try {
    if (faults.ofWebhook('webhook_forged')) await send(contrary(body), random.uuid());
    if (faults.ofWebhook('webhook_doubled')) await send(body, delivery.signing_key);
    const status = await send(body, delivery.signing_key);
    return status >= 200 && status < 300 ? null : `answered with ${status}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What a forger would send: the opposite of the truth. */
function contrary(body: string): string {
  return body.includes('failed') ? body.replaceAll('failed', 'completed') : body.replaceAll('completed', 'failed');
}

function headersOf({ scheme, event }: Delivery, body: string, key: string, now: number): Record<string, string> {
  const hmac = (text: string) => createHmac('sha256', key).update(text).digest('hex');
  const json = { 'content-type': 'application/json' };
  if (scheme === 'registered') return { ...json, 'x-service-signature': hmac(body) };
  const timestamp = String(Math.floor(now / 1_000));
  return {
    ...json,
    'x-webhook-event': event,
    'x-webhook-timestamp': timestamp,
    'x-webhook-signature': hmac(`${timestamp}.${body}`),
  };
}
