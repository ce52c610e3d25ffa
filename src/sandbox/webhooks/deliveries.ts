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
   * The origin of its address. Each origin has its own queue, so that a receiver that does not answer delays no other.
   */
  target: string;
  status: 'waiting' | 'delivered' | 'failed';
  attempts: number;
  next_at: number | null;
  last_error: string | null;
  delivered_at: number | null;
}

/** Sends one POST and returns its status. Rejects without an answer within `deadlineMs`. Redirects are not followed. */
export type Post = (request: {
  url: string;
  headers: Record<string, string>;
  body: string;
  deadlineMs: number;
}) => Promise<number>;

export interface Deliveries {
  enqueue(delivery: NewDelivery): void;
  /** Starts to send what is due. `ended` is called after each delivery that was answered or given up. */
  pump(ended: () => void): void;
  nextDueAt(): number | null;
  /** Sends one again at once, whatever its state. False if there is none with this id. */
  retry(id: string): boolean;
  log(): Delivery[];
  /** Sends and writes nothing more. Deliveries that have not ended are repeated after the next start. */
  stop(): void;
}

const minute = 60_000;
/** The delay after each failed attempt (spec sections 6.1 and 6.2). */
const retryDelays: Readonly<Record<Scheme, readonly number[]>> = {
  callback: [minute, 5 * minute, 30 * minute],
  registered: [minute, 5 * minute, 30 * minute, 120 * minute, 24 * 60 * minute],
};
/** The receiver must answer 2xx within this time (spec section 6). */
const deadlineMs = 10_000;
/** The most deliveries to one target at the same time. */
const perTargetMax = 20;
/** The most lines of the delivery log that are shown. */
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
  /** Running deliveries, by target. */
  const running = new Map<string, Set<string>>();
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
    const ofTarget = running.get(target) ?? new Set();
    running.set(target, ofTarget.add(id));
    try {
      await deliver(delivery);
    } finally {
      ofTarget.delete(id);
      if (ofTarget.size === 0) running.delete(target);
    }
    if (!isStopped) ended();
  }

  const next = (until: number) => nextDelivery(store, running, until);

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
      // One by one, because each may fill its target.
      for (let due = next(now); due; due = next(now)) void start(due, ended);
    },
    nextDueAt: () => next(Number.MAX_SAFE_INTEGER)?.next_at ?? null,
    retry: (id) => store.run(`UPDATE deliveries SET status = 'waiting', next_at = ? WHERE id = ?`, clock.now(), id) > 0,
    log: () => store.all<Delivery>('SELECT * FROM deliveries ORDER BY created_at DESC, rowid DESC LIMIT ?', logMax),
    stop() {
      isStopped = true;
    },
  };
}

/** The next delivery that is not running, to a target with room for one more; null if none is due. */
function nextDelivery(store: Store, running: ReadonlyMap<string, ReadonlySet<string>>, until: number): Delivery | null {
  const full = [...running].filter(([, ids]) => ids.size >= perTargetMax).map(([target]) => target);
  return store.one<Delivery>(
    `SELECT * FROM deliveries WHERE status = 'waiting' AND next_at <= ? AND target NOT IN (SELECT value FROM json_each(?))
         AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY next_at, rowid LIMIT 1`,
    until,
    JSON.stringify(full),
    JSON.stringify([...running.values()].flatMap((ids) => [...ids])),
  );
}

/** Makes one attempt. Returns null if it was acknowledged, else the reason. */
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

/** What a forger would send: the opposite of the true content. */
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
