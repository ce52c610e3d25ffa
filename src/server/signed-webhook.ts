import { unreachable } from '../core/basics/assert.ts';
import { sha256 } from '../core/identity/ids.ts';
import { withoutSecrets } from '../core/text/redact.ts';
import { dayMs } from '../core/time/clock.ts';
import {
  type SignatureCheck,
  verifyCallback,
  verifyRegisteredWebhook,
  type WebhookKeys,
} from '../gateway/webhooks/webhook-signatures.ts';
import { readCallback, readRegisteredWebhook } from '../gateway/webhooks/webhook-wire.ts';
import { type InboxEntry, inboxKeptMs, type WebhookScheme } from '../ledger/accounts/webhook-inbox.ts';

/**
 * The signature of a registered webhook names no time, so it is told from a replay by its id as long as that is known.
 * What says of itself that it is nearly as old comes from nobody honest: the service repeats one for a day, or by
 * hand.
 */
const eventAgeMsMax = inboxKeptMs - 10 * dayMs;

/** A webhook as it came over the wire: nothing of it is believed yet. */
export interface RawWebhook {
  account: string;
  scheme: WebhookScheme;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Uint8Array;
}

/** Whether the account's service signed it, by the rules of its scheme; the schemes are never mixed. */
export function verifyWebhook({ scheme, headers, body }: RawWebhook, keys: WebhookKeys, now: number): SignatureCheck {
  switch (scheme) {
    case 'callback': {
      const [signature, timestamp] = [one(headers['x-webhook-signature']), one(headers['x-webhook-timestamp'])];
      return verifyCallback({ signature, timestamp, body }, { keys: keys.callback, now });
    }
    case 'registered': {
      const signature = one(headers['x-service-signature']);
      const check = verifyRegisteredWebhook({ signature, body }, { secrets: keys.registered });
      if (!check.ok) return check;
      const at = readRegisteredWebhook(textOf(body))?.at ?? now;
      return now - at <= eventAgeMsMax ? check : { ok: false, problem: 'timestamp_stale' };
    }
    default:
      return unreachable(scheme);
  }
}

/**
 * A verified webhook as the inbox keeps it. One that has no shape of the specification is kept as handled, to be
 * looked at.
 */
export function inboxEntry(webhook: RawWebhook, keys: WebhookKeys, now: number): InboxEntry {
  const { account, scheme, body } = webhook;
  const text = textOf(body);
  const { messageId, isReadable } = identify(webhook, text);
  return {
    account,
    scheme,
    message_id: messageId,
    // The keys that it is signed with are credentials: a service that repeats them must not bring them into the ledger.
    body: withoutSecrets(text, [...keys.callback, ...keys.registered]),
    body_digest: sha256(body),
    received_at: now,
    due_at: isReadable ? now : null,
    looks: 0,
    handled_at: isReadable ? null : now,
    outcome: isReadable ? null : 'unreadable',
    batch_id: null,
    row_no: null,
  };
}

function textOf(body: Uint8Array): string {
  // SQLite's own functions take a text to end at a NUL, and no JSON has one.
  return Buffer.from(body).toString('utf8').replaceAll('\0', '\ufffd');
}

/** A callback has no id of its own, so it is known by what was signed; a registered webhook by its event's id. */
function identify({ scheme, headers, body }: RawWebhook, text: string): { messageId: string; isReadable: boolean } {
  if (scheme === 'callback') {
    const signed = Buffer.concat([Buffer.from(`${one(headers['x-webhook-timestamp'])}.`), body]);
    return { messageId: sha256(signed), isReadable: readCallback(text) !== null };
  }
  const event = readRegisteredWebhook(text);
  return { messageId: event?.id ?? sha256(body), isReadable: event !== null };
}

/** Node joins what comes twice by a comma, which no signature survives. */
function one(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}
