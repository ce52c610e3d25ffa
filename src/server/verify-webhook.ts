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
 * A registered webhook has no signed time, so a replay is recognised by its id while the inbox keeps that. A webhook
 * whose event is nearly that old is rejected: the service repeats one for a day, or when a person asks for it.
 */
const eventAgeMsMax = inboxKeptMs - 10 * dayMs;

/** A webhook as received, before it is verified. */
export interface RawWebhook {
  account: string;
  scheme: WebhookScheme;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Uint8Array;
}

/** Whether the account's service signed the webhook, by the rules of its scheme. The schemes are never mixed. */
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
 * A verified webhook as an entry of the inbox. If it has no shape of the specification, the entry is stored as handled,
 * for a person to look at.
 */
export function inboxEntry(webhook: RawWebhook, keys: WebhookKeys, now: number): InboxEntry {
  const { account, scheme, body } = webhook;
  const text = textOf(body);
  const { messageId, isReadable } = identify(webhook, text);
  return {
    account,
    scheme,
    message_id: messageId,
    // The signing keys are credentials. If the service repeats them in a body, they must not reach the ledger.
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
  // SQLite's functions take a text to end at a NUL, and no JSON contains one.
  return Buffer.from(body).toString('utf8').replaceAll('\0', '\ufffd');
}

/** A callback has no id of its own, so its signed content identifies it; a registered webhook has its event's id. */
function identify({ scheme, headers, body }: RawWebhook, text: string): { messageId: string; isReadable: boolean } {
  if (scheme === 'callback') {
    const signed = Buffer.concat([Buffer.from(`${one(headers['x-webhook-timestamp'])}.`), body]);
    return { messageId: sha256(signed), isReadable: readCallback(text) !== null };
  }
  const event = readRegisteredWebhook(text);
  return { messageId: event?.id ?? sha256(body), isReadable: event !== null };
}

/** Node joins a repeated header with a comma, and then no signature matches. */
function one(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}
