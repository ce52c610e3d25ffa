import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * How far the signed time of a callback may differ from our clock. The clocks differ, and the service signs its last
 * retry anew.
 */
const callbackToleranceMs = 5 * 60_000;

/**
 * The secrets under which an account's webhooks are signed: several of a kind while a key is rotated; none if no such
 * webhooks come.
 */
export interface WebhookKeys {
  /** For per-top-up callbacks (spec section 6.1): API keys. */
  callback: readonly string[];
  /** For registered webhooks (spec section 6.2): the secret of each. */
  registered: readonly string[];
}

/** Why a webhook is rejected; for the log, never for the sender. */
export type SignatureProblem = 'signature_missing' | 'signature_wrong' | 'timestamp_wrong' | 'timestamp_stale';

export type SignatureCheck = { ok: true } | { ok: false; problem: SignatureProblem };

/**
 * Verifies a per-top-up callback (spec section 6.1): `X-Webhook-Signature` is the hex HMAC-SHA256, under the API key,
 * of `<X-Webhook-Timestamp>.<raw body>`. Each of `keys` is tried, so that a key can be rotated. A timestamp is in
 * seconds; one in milliseconds is understood, since the spec does not show the unit.
 */
export function verifyCallback(
  { signature, timestamp, body }: { signature: string | undefined; timestamp: string | undefined; body: Uint8Array },
  { keys, now }: { keys: readonly string[]; now: number },
): SignatureCheck {
  if (signature === undefined || timestamp === undefined) return { ok: false, problem: 'signature_missing' };
  if (!/^[0-9]{1,16}$/.test(timestamp)) return { ok: false, problem: 'timestamp_wrong' };
  const signed = Buffer.concat([Buffer.from(`${timestamp}.`), body]);
  // The signature is checked first: only a webhook that the service really signed is reported as too old.
  if (!matchesAny(signature, signed, keys)) return { ok: false, problem: 'signature_wrong' };
  const at = Number(timestamp) > 1e12 ? Number(timestamp) : Number(timestamp) * 1_000;
  return Math.abs(now - at) <= callbackToleranceMs ? { ok: true } : { ok: false, problem: 'timestamp_stale' };
}

/**
 * Verifies a registered webhook (spec section 6.2): `X-Service-Signature` is the hex HMAC-SHA256 of the raw body under
 * the webhook's own secret. No time is signed: the inbox recognises a replay by the event's `id`.
 */
export function verifyRegisteredWebhook(
  { signature, body }: { signature: string | undefined; body: Uint8Array },
  { secrets }: { secrets: readonly string[] },
): SignatureCheck {
  if (signature === undefined) return { ok: false, problem: 'signature_missing' };
  return matchesAny(signature, body, secrets) ? { ok: true } : { ok: false, problem: 'signature_wrong' };
}

/** Compares in constant time with the signature under each key; an empty key is skipped. */
function matchesAny(signature: string, signed: Uint8Array, keys: readonly string[]): boolean {
  if (!/^[0-9a-fA-F]{64}$/.test(signature)) return false;
  const given = Buffer.from(signature, 'hex');
  let matched = false;
  for (const key of keys) {
    if (key === '') continue;
    if (timingSafeEqual(given, createHmac('sha256', key).update(signed).digest())) matched = true;
  }
  return matched;
}
