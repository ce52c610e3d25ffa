import { errorMessage } from '../core/basics/errors.ts';
import type { Random } from '../core/basics/random.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Database } from '../ledger/drivers/database.ts';
import { type DeliveryRecord, nextDelivery, saveAttempt } from '../ledger/outbox/webhook-deliveries.ts';
import { disableEndpoint, type Endpoint, findEndpoint, listEndpoints } from '../ledger/outbox/webhook-endpoints.ts';
import { type Post, post, signedHeaders } from './post.ts';

const minuteMs = 60_000;
/** How long until the next attempt, by how many there were; the last one again and again. */
const delaysMs = [
  5_000,
  30_000,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  60 * minuteMs,
  180 * minuteMs,
  360 * minuteMs,
];
/** How many deliveries one endpoint gets in a pass, so that a program that ends need not wait for all of them. */
const deliveriesMax = 200;
const errorCharsMax = 200;

export interface WebhookDeps {
  db: Database;
  clock: Pick<Clock, 'now' | 'monotonic'>;
  random: Random;
  /** Whether endpoints may have an address of an inner network. */
  mayBePrivate: boolean;
  /** Opens a secret of an endpoint, which is sealed in the ledger. Null: its key is missing. */
  openSecret: (endpointId: string, sealed: string) => Promise<string | null>;
  /** Called when an endpoint is disabled, because nothing has arrived for days. */
  onDisabled: (endpoint: Endpoint) => void;
  /** Called when the ledger could not be used. */
  onError: (error: unknown) => void;
  /** Once it is aborted, running deliveries are dropped; they are sent again later. */
  ending: AbortSignal;
}

export interface WebhookDelivery {
  /** Begins to send what is due: each endpoint for itself, so that a slow one delays no other. */
  begin(): Promise<void>;
  /** Resolves when everything that runs has ended. */
  ended(): Promise<void>;
}

export function makeWebhookDelivery(deps: WebhookDeps): WebhookDelivery {
  const running = new Map<string, Promise<void>>();
  return {
    async begin() {
      for (const { endpoint_id, enabled } of await listEndpoints(deps.db)) {
        if (enabled === 0 || running.has(endpoint_id) || deps.ending.aborted) continue;
        const work = deliverAll(deps, endpoint_id)
          .catch(deps.onError)
          .finally(() => running.delete(endpoint_id));
        running.set(endpoint_id, work);
      }
    },
    async ended() {
      await Promise.all(running.values());
    },
  };
}

async function deliverAll(deps: WebhookDeps, endpointId: string): Promise<void> {
  for (let count = 0; count < deliveriesMax && !deps.ending.aborted; count += 1) {
    // It may have been changed, disabled or deleted meanwhile.
    const endpoint = await findEndpoint(deps.db, endpointId);
    if (endpoint === null || endpoint.enabled === 0) return;
    const delivery = await nextDelivery(deps.db, endpointId, deps.clock.now());
    if (delivery === null) return;
    await deliver(deps, endpoint, delivery);
  }
}

async function deliver(deps: WebhookDeps, endpoint: Endpoint, delivery: DeliveryRecord): Promise<void> {
  const { db, clock, random, mayBePrivate, ending } = deps;
  const { delivery_no, body, message_id } = delivery;
  const [at, began] = [clock.now(), clock.monotonic()];
  const secrets = await secretsOf(deps, endpoint, at);
  const { status, error } =
    secrets === null
      ? { status: null, error: 'the key of its secret is missing (secrets.key): give the endpoint a new secret' }
      : await answerOf({
          ...{ url: endpoint.url, body, ending, mayBePrivate },
          headers: signedHeaders(secrets, { id: message_id, at }, body),
        });
  // The program ends, and the endpoint may have the message: it is sent again.
  if (ending.aborted && status === null) return;
  const now = clock.now();
  const attempt = delivery.attempts + 1;
  const isDelivered = status !== null && status >= 200 && status <= 299;
  const delay = (delaysMs[attempt - 1] ?? delaysMs.at(-1) ?? 0) * (0.8 + 0.4 * random.fraction());
  const isGivenUp = !isDelivered && now + delay > delivery.give_up_at;
  const isDisabled = isGivenUp || status === 410;
  await db.transact(async (tx) => {
    const after = {
      due_at: isDelivered || isDisabled ? null : Math.ceil(now + delay),
      delivered_at: isDelivered ? now : null,
      failed_at: isDisabled ? now : null,
    };
    const duration_ms = Math.round(clock.monotonic() - began);
    await saveAttempt(tx, { delivery_no, attempt, at, status, duration_ms, error }, after);
    if (isDisabled) await disableEndpoint(tx, endpoint.endpoint_id, now);
  });
  if (isDisabled) deps.onDisabled(endpoint);
}

/**
 * The message is signed with the earlier secret as well while receivers still change to the new one. Null if the new
 * secret cannot be opened.
 */
async function secretsOf(
  { openSecret }: Pick<WebhookDeps, 'openSecret'>,
  { endpoint_id, secret, earlier_secret, earlier_until }: Endpoint,
  now: number,
): Promise<string[] | null> {
  const newest = await openSecret(endpoint_id, secret);
  if (newest === null) return null;
  const isEarlierUsed = earlier_secret !== null && (earlier_until ?? 0) > now;
  const earlier = isEarlierUsed ? await openSecret(endpoint_id, earlier_secret) : null;
  return earlier === null ? [newest] : [newest, earlier];
}

async function answerOf(given: Post): Promise<{ status: number | null; error: string | null }> {
  try {
    const status = await post(given);
    return { status, error: status >= 200 && status <= 299 ? null : `it answered HTTP ${status}` };
  } catch (error) {
    return { status: null, error: errorMessage(error).slice(0, errorCharsMax) };
  }
}
