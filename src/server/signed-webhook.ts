import { unreachable } from '../core/assert.ts';
import { sha256 } from '../core/ids.ts';
import {
  type SignatureCheck,
  verifyCallback,
  verifyRegisteredWebhook,
  type WebhookKeys,
} from '../gateway/webhook-signatures.ts';
import { readCallback, readRegisteredWebhook } from '../gateway/webhook-wire.ts';
import type { InboxEntry, WebhookScheme } from '../ledger/inbox.ts';

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
    case 'registered':
      return verifyRegisteredWebhook(
        { signature: one(headers['x-service-signature']), body },
        { secrets: keys.registered },
      );
    default:
      return unreachable(scheme);
  }
}

/** A verified webhook as the inbox keeps it. One that has no shape of the specification is kept as handled, to be looked at. */
export function inboxEntry(webhook: RawWebhook, now: number): InboxEntry {
  const { account, scheme, body } = webhook;
  // SQLite's own functions take a text to end at a NUL, and no JSON has one.
  const text = Buffer.from(body).toString('utf8').replaceAll('\0', '\ufffd');
  const { messageId, isReadable } = identify(webhook, text);
  return {
    account,
    scheme,
    message_id: messageId,
    body: text,
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
