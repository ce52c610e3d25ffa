import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { verifyCallback, verifyRegisteredWebhook } from '../../../src/gateway/webhooks/webhook-signatures.ts';
import { readCallback, readRegisteredWebhook } from '../../../src/gateway/webhooks/webhook-wire.ts';

const key = 'api-key-4711';
const now = Date.UTC(2026, 10, 20, 9);
const timestamp = String(now / 1_000);
const body = Buffer.from('{"success":true,"data":{}}');
const sign = (text: string | Uint8Array, secret = key) => createHmac('sha256', secret).update(text).digest('hex');
const signature = sign(Buffer.concat([Buffer.from(`${timestamp}.`), body]));

describe('the signature of a per-top-up callback', () => {
  const check = (given: Partial<Parameters<typeof verifyCallback>[0]>, keys = [key], at = now) =>
    verifyCallback({ signature, timestamp, body, ...given }, { keys, now: at });

  test('is the HMAC of the timestamp, a dot and the raw bytes, under the API key', () => {
    assert.deepEqual(check({}), { ok: true });
    assert.deepEqual(check({ signature: signature.toUpperCase() }), { ok: true });
  });

  test('is valid under either of two keys during a rotation, and under no other', () => {
    assert.deepEqual(check({}, ['new-key', key]), { ok: true });
    assert.deepEqual(check({}, ['new-key']), { ok: false, problem: 'signature_wrong' });
    assert.deepEqual(check({}, []), { ok: false, problem: 'signature_wrong' });
    const unsigned = sign(Buffer.concat([Buffer.from(`${timestamp}.`), body]), '');
    assert.deepEqual(check({ signature: unsigned }, ['']), { ok: false, problem: 'signature_wrong' });
  });

  test('is stale five minutes before and after its time', () => {
    assert.deepEqual(check({}, [key], now + 300_000), { ok: true });
    assert.deepEqual(check({}, [key], now + 300_001), { ok: false, problem: 'timestamp_stale' });
    assert.deepEqual(check({}, [key], now - 300_001), { ok: false, problem: 'timestamp_stale' });
  });

  test('covers the timestamp: a new timestamp with an old signature is wrong', () => {
    assert.deepEqual(check({ timestamp: String(now / 1_000 + 1) }), { ok: false, problem: 'signature_wrong' });
  });

  test('is refused if a header is missing or malformed', () => {
    assert.deepEqual(check({ signature: undefined }), { ok: false, problem: 'signature_missing' });
    assert.deepEqual(check({ timestamp: undefined }), { ok: false, problem: 'signature_missing' });
    assert.deepEqual(check({ timestamp: '1e9' }), { ok: false, problem: 'timestamp_wrong' });
    for (const wrong of ['', 'x'.repeat(64), signature.slice(2), `${signature}00`]) {
      assert.deepEqual(check({ signature: wrong }), { ok: false, problem: 'signature_wrong' });
    }
  });

  test('accepts a timestamp in milliseconds', () => {
    const ms = String(now);
    assert.deepEqual(check({ timestamp: ms, signature: sign(Buffer.concat([Buffer.from(`${ms}.`), body])) }), {
      ok: true,
    });
  });

  test('is broken by any change of any byte', () => {
    fc.assert(
      fc.property(fc.nat({ max: body.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Buffer.from(body);
        changed[at] = (changed[at] ?? 0) ^ flip;
        assert.equal(check({ body: changed }).ok, false);
      }),
    );
  });
});

describe('the signature of a registered webhook', () => {
  test('is the HMAC of the raw bytes under the secret of the webhook, without a time', () => {
    const secrets = ['hook-secret'];
    const signed = sign(body, 'hook-secret');
    assert.deepEqual(verifyRegisteredWebhook({ signature: signed, body }, { secrets }), { ok: true });
    assert.equal(verifyRegisteredWebhook({ signature: signed, body: Buffer.from('{}') }, { secrets }).ok, false);
    assert.equal(verifyRegisteredWebhook({ signature: undefined, body }, { secrets }).ok, false);
  });

  test('is never valid in the other scheme', () => {
    assert.equal(verifyRegisteredWebhook({ signature, body }, { secrets: [key] }).ok, false);
    assert.equal(verifyCallback({ signature: sign(body), timestamp, body }, { keys: [key], now }).ok, false);
  });
});

describe('the body of a webhook', () => {
  test('of a callback is a complete top-up', () => {
    const payment = readCallback(`{"success":true,"data":{"id":"a","status":"failed","phone_number":"+254712345678",
      "amount":{"value":10.10,"currency":"KES"},"cost":{"value":0,"currency":"USD"},"product_id":null,"reference":"r/1",
      "failure_reason":"Declined","created_at":"2026-11-20T09:00:00.000Z","completed_at":null},"meta":{}}`);
    assert.deepEqual(
      [
        payment?.topupId,
        payment?.state,
        payment?.amount?.value,
        payment?.cost?.value,
        payment?.failureReason,
        payment?.full,
      ],
      ['a', 'failed', '10.1', '0', 'Declined', true],
    );
    for (const text of ['', '[]', '{"success":true}', '{"success":true,"data":{"id":"a"}}']) {
      assert.equal(readCallback(text), null);
    }
  });

  test('of a callback that reports no success must be a failed top-up', () => {
    const said = (success: boolean, status: string) => {
      const topup = { id: 'a', status, phone_number: '+254712345678', reference: 'r/1' };
      const amount = { value: 10, currency: 'KES' };
      return readCallback(JSON.stringify({ success, data: { ...topup, amount, cost: amount } }))?.state ?? null;
    };
    assert.deepEqual([said(true, 'failed'), said(false, 'failed')], ['failed', 'failed']);
    for (const [status, state] of [
      ['completed', 'completed'],
      ['processing', 'open'],
      ['on_hold', 'open'],
    ] as const) {
      assert.deepEqual([said(true, status), said(false, status)], [state, null], status);
    }
  });

  test('of a registered webhook names its event and the payment, as far as it does', () => {
    const text = `{"id":"evt-1","type":"transaction.completed","timestamp":"2026-11-20T09:00:00.000Z","data":{
      "transactionId":"t-1","status":"completed","recipient":{"phoneNumber":"+254712345678"},
      "sourceAmount":9.7500000000000000001,"sourceCurrency":"USD","idempotencyKey":"k-1"}}`;
    assert.deepEqual(readRegisteredWebhook(text), {
      id: 'evt-1',
      type: 'transaction.completed',
      at: now,
      transactionId: 't-1',
      status: 'completed',
      idempotencyKey: 'k-1',
      sourceAmount: '9.7500000000000000001',
      sourceCurrency: 'USD',
    });
  });

  test('cannot have what the spec does not show', () => {
    const event = readRegisteredWebhook('{"id":"evt-2","type":"wallet.low_balance","data":[1]}');
    assert.deepEqual([event?.type, event?.transactionId, event?.at], ['wallet.low_balance', null, null]);
    for (const text of ['', '{"type":"wallet.low_balance"}', '{"id":"","type":"x"}', 'null']) {
      assert.equal(readRegisteredWebhook(text), null);
    }
  });
});
