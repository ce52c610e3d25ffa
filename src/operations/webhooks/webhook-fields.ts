import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import type { Random } from '../../core/basics/random.ts';
import { refusal } from '../../core/basics/refusal.ts';
import { entityTag } from '../../core/identity/entity-tag.ts';
import { isLoopback, safeUrl, shownUrl } from '../../core/text/safe-url.ts';
import { isoOrNull, isoTime } from '../../core/time/clock.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { type Endpoint, findEndpoint } from '../../ledger/outbox/webhook-endpoints.ts';
import { type WebhookEvent, webhookEvents } from '../../notify/webhook-events.ts';
import type { Session } from '../../runtime/session/session.ts';
import { accountName, time } from '../base/fields.ts';

export const endpointId = z.string();

/** What the caller chooses. */
export const endpointChoices = {
  /** https, or http to this machine. */
  url: safeUrl.refine((url) => url.length <= 2_000, 'is longer than 2,000 characters'),
  /** The kinds of events; empty: all. */
  events: z.array(z.enum(webhookEvents)),
  /** Only of these accounts; empty: of all. */
  accounts: z.array(accountName),
};

/** An endpoint without its secret. */
export const endpoint = z.strictObject({
  endpoint_id: endpointId,
  /** Without its query, which may be a secret. */
  url: z.string(),
  events: z.array(z.enum(webhookEvents)),
  accounts: z.array(accountName),
  enabled: z.boolean(),
  /** When airbatch disabled it, because nothing had arrived there for three days; null if it did not. */
  failed_at: time.nullable(),
  /** Until when deliveries are also signed with the secret before the last change; null if they are not. */
  earlier_secret_until: time.nullable(),
  created_by: z.string(),
  created_at: time,
  /** For `If-Match` of a change. */
  etag: z.string(),
});

export function endpointTag(one: Endpoint): string {
  return entityTag(one);
}

export function endpointJson(one: Endpoint, now: number): z.output<typeof endpoint> {
  const isEarlierUsed = one.earlier_until !== null && one.earlier_until > now;
  return {
    endpoint_id: one.endpoint_id,
    url: shownUrl(one.url),
    events: one.events as WebhookEvent[],
    accounts: one.accounts,
    enabled: one.enabled === 1,
    failed_at: isoOrNull(one.failed_at),
    earlier_secret_until: isoOrNull(isEarlierUsed ? one.earlier_until : null),
    created_by: one.created_by,
    created_at: isoTime(one.created_at),
    etag: endpointTag(one),
  };
}

/** A secret as Standard Webhooks has it: "whsec_" and 32 random bytes in base64. */
export function newSecret(random: Pick<Random, 'hex'>): string {
  return `whsec_${Buffer.from(random.hex(32), 'hex').toString('base64')}`;
}

/**
 * Refuses an address of this machine to a caller from outside, who would reach what listens here for the machine alone.
 * A person on the machine may name it. Throws `USAGE`.
 */
export function requireOutside({ through, config }: Pick<Session, 'through' | 'config'>, url: string): void {
  const isFromOutside = through === 'console' || through === 'api';
  if (!isFromOutside || config.webhooks.allowPrivateAddresses || !isLoopback(new URL(url).hostname)) return;
  throw new AirbatchError('USAGE', 'the URL names the machine of airbatch', {
    reason: refusal('ENDPOINT_LOCAL', {}),
    hint: 'Add the endpoint on that machine, or allow private addresses for webhooks in the configuration.',
  });
}

/** Throws `WEBHOOK_UNKNOWN` if there is no such endpoint. */
export async function requireEndpoint(db: Queryable, id: string): Promise<Endpoint> {
  const found = await findEndpoint(db, id);
  if (found === null) throw new AirbatchError('WEBHOOK_UNKNOWN', `there is no webhook endpoint ${id}`);
  return found;
}
