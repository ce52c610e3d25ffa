import { createHmac } from 'node:crypto';
import type { SandboxClock } from './clock.ts';
import type { Faults } from './faults.ts';
import type { SandboxRandom } from './random.ts';
import type { Store } from './store.ts';
import { isCallable } from './v2-shapes.ts';
import type { NewDelivery, Scheme } from './webhooks.ts';

/** One line of the delivery log. */
export interface Delivery extends NewDelivery {
  status: 'waiting' | 'delivered' | 'failed';
  attempts: number;
  next_at: number | null;
  last_error: string | null;
  delivered_at: number | null;
}

/** Sends one POST and returns its status. Rejects where there is no answer within `deadlineMs`. Redirects are not followed. */
export type Post = (request: {
  url: string;
  headers: Record<string, string>;
  body: string;
  deadlineMs: number;
}) => Promise<number>;

export interface Deliveries {
  enqueue(delivery: NewDelivery): void;
  /** Sends what is due, and resolves when all of that was answered or given up. */
  pump(): Promise<void>;
  nextDueAt(): number | null;
  /** Sends one again at once, whatever became of it. False: there is none of this id. */
  retry(id: string): boolean;
  log(): Delivery[];
}

const minute = 60_000;
/** How long after each failed attempt the next one comes (spec sections 6.1 and 6.2). */
const retryDelays: Readonly<Record<Scheme, readonly number[]>> = {
  callback: [minute, 5 * minute, 30 * minute],
  registered: [minute, 5 * minute, 30 * minute, 120 * minute, 24 * 60 * minute],
};
/** A receiver must answer 2xx within this (spec section 6). */
const deadlineMs = 10_000;
/** Deliveries under way at once. */
const concurrencyMax = 20;
/** Lines of the delivery log that are shown. */
const logMax = 200;

interface DeliveryParts {
  store: Store;
  clock: SandboxClock;
  random: SandboxRandom;
  faults: Faults;
  post: Post;
}

export function makeDeliveries(parts: DeliveryParts): Deliveries {
  const { store, clock, faults } = parts;
  const underWay = new Set<string>();

  async function deliver(delivery: Delivery): Promise<void> {
    const error = faults.ofWebhook('webhook_lost') ? null : await attempt(parts, delivery);
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

  return {
    enqueue(delivery) {
      const lateMs = faults.ofWebhook('webhook_late') ? faults.webhookLateMs : 0;
      store.insert('deliveries', {
        ...delivery,
        status: 'waiting',
        attempts: 0,
        next_at: delivery.created_at + lateMs,
        last_error: null,
        delivered_at: null,
      });
    },
    async pump() {
      const waiting = store.all<Delivery>(
        `SELECT * FROM deliveries WHERE status = 'waiting' AND next_at <= ? ORDER BY next_at, rowid LIMIT ?`,
        clock.now(),
        concurrencyMax,
      );
      const due = waiting.filter(({ id }) => !underWay.has(id)).slice(0, concurrencyMax - underWay.size);
      await Promise.all(
        due.map(async (delivery) => {
          underWay.add(delivery.id);
          try {
            await deliver(delivery);
          } finally {
            underWay.delete(delivery.id);
          }
        }),
      );
    },
    nextDueAt() {
      if (underWay.size >= concurrencyMax) return null;
      const waiting = store.all<{ id: string; next_at: number }>(
        `SELECT id, next_at FROM deliveries WHERE status = 'waiting' ORDER BY next_at LIMIT ?`,
        underWay.size + 1,
      );
      return waiting.find(({ id }) => !underWay.has(id))?.next_at ?? null;
    },
    retry: (id) => store.run(`UPDATE deliveries SET status = 'waiting', next_at = ? WHERE id = ?`, clock.now(), id) > 0,
    log: () => store.all<Delivery>('SELECT * FROM deliveries ORDER BY created_at DESC, rowid DESC LIMIT ?', logMax),
  };
}

/** One attempt; null: it was acknowledged, else why not. */
async function attempt({ clock, faults, random, post }: DeliveryParts, delivery: Delivery): Promise<string | null> {
  const { url, body } = delivery;
  if (!isCallable(url)) return 'the address is neither https nor this machine';
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
