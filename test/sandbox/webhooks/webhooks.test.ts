import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import type { SandboxOptions } from '../../../src/sandbox/index.ts';
import { v2Answers } from '../../../src/sandbox/v2/v2-shapes.ts';
import { type Client, openClient, order } from '../client.ts';

interface Sent {
  at: number;
  url: string;
  headers: Record<string, string>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into the bodies that were sent.
  body: any;
}

const callback = 'https://client.example/topups';
const registered = 'https://client.example/events';
const secret = 'a good secret';
const hmac = (key: string, text: string) => createHmac('sha256', key).update(text).digest('hex');

/** A sandbox whose webhooks go into a list; `answer` says with what status each is acknowledged. */
async function openHooked(options: SandboxOptions = {}, answer: (sent: Sent) => number | Error = () => 200) {
  const sent: Sent[] = [];
  const client = await openClient(options, {
    async post({ url, headers, body }) {
      const one = { at: client.clock.now(), url, headers, text: body, body: JSON.parse(body) };
      sent.push(one);
      const given = answer(one);
      if (given instanceof Error) throw given;
      return given;
    },
  });
  return { client, sent, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
}

async function register(client: Client, events: string[], url = registered): Promise<void> {
  const { body } = await client.v2('POST', '/enterprise/auth/login', {
    key: null,
    body: { email: 'admin@airbatch.test', password: 'sandbox-password' },
  });
  const headers = { authorization: `Bearer ${body.data.access_token}`, 'x-company-id': body.data.company_id };
  const answer = await client.v2('POST', '/enterprise/webhooks', { key: null, headers, body: { url, events, secret } });
  assert.equal(answer.status, 201);
}

/** The latest line of the delivery log. */
async function lastDelivery(client: Client): Promise<Record<string, unknown>> {
  const response = await fetch(`${client.url}/_sandbox/deliveries`);
  const { deliveries } = (await response.json()) as { deliveries: Record<string, unknown>[] };
  return deliveries[0] ?? {};
}

const create = (client: Client, fields: object = {}) =>
  client.v2('POST', '/v2/topups', {
    body: order(fields),
    headers: { 'idempotency-key': 'key-of-it' },
    shape: v2Answers.created,
  });

describe('6.1 per-top-up callbacks', () => {
  test('processing and completed are sent, signed with the API key over time and body, as a single top-up', async () => {
    await using hooked = await openHooked();
    const { client, sent } = hooked;
    const created = await create(client, { callback_url: callback });
    await client.clock.advance(2_000);
    assert.deepEqual(
      sent.map(({ headers }) => headers['x-webhook-event']),
      ['topup.processing', 'topup.completed'],
    );
    for (const { headers, text, body, at, url } of sent) {
      assert.equal(url, callback);
      assert.equal(headers['content-type'], 'application/json');
      assert.equal(headers['x-webhook-timestamp'], String(Math.floor(at / 1_000)));
      assert.equal(headers['x-webhook-signature'], hmac('sandbox-key', `${headers['x-webhook-timestamp']}.${text}`));
      assert.ok(v2Answers.single.safeParse(body).success);
      assert.equal(body.data.id, created.body.data.id);
      assert.deepEqual(['wallet' in body.data, 'sms' in body.data], [false, false]);
    }
    const [processing, completed] = sent.map(({ body }) => body.data);
    assert.deepEqual(
      [processing.status, processing.provider_reference, processing.completed_at],
      ['processing', null, null],
    );
    assert.equal(completed.status, 'completed');
  });

  test('processing is not sent if a top-up ends at once', async () => {
    await using hooked = await openHooked({ settleMs: 0 });
    await create(hooked.client, { callback_url: callback });
    await hooked.client.clock.advance(2_000);
    assert.deepEqual(
      hooked.sent.map(({ headers, body }) => [headers['x-webhook-event'], body.data.status]),
      [['topup.completed', 'completed']],
    );
  });

  test('a failed one costs 0, has its reason, and no completion time', async () => {
    await using hooked = await openHooked();
    await create(hooked.client, { callback_url: callback, phone_number: '+254712340001' });
    await hooked.client.clock.advance(2_000);
    const { headers, body } = hooked.sent[1] as Sent;
    assert.equal(headers['x-webhook-event'], 'topup.failed');
    assert.deepEqual([body.data.cost.value, body.data.completed_at], [0, null]);
    assert.equal(body.data.failure_reason, 'The operator declined the top-up.');
  });

  test('retries after 1, 5 and 30 minutes, signed anew, and then gives up', async () => {
    await using hooked = await openHooked({}, () => 500);
    const { client, sent } = hooked;
    await create(client, { callback_url: callback, phone_number: '+254712340003' });
    await client.clock.advance(48 * 3_600_000);
    const start = sent[0]?.at ?? 0;
    assert.deepEqual(
      sent.map(({ at }) => Math.round((at - start) / 60_000)),
      [0, 1, 6, 36],
    );
    assert.equal(new Set(sent.map(({ headers }) => headers['x-webhook-signature'])).size, 4);
    const last = await lastDelivery(client);
    assert.deepEqual([last.status, last.attempts, last.last_error], ['failed', 4, 'answered with 500']);
  });

  test('a failed delivery is repeated until it is acknowledged', async () => {
    let calls = 0;
    await using hooked = await openHooked({}, () => {
      calls += 1;
      return calls === 1 ? new Error('no answer within the deadline') : 204;
    });
    await create(hooked.client, { callback_url: callback, phone_number: '+254712340003' });
    await hooked.client.clock.advance(10 * 60_000);
    assert.equal(hooked.sent.length, 2);
  });
});

describe('6.2 registered webhooks', () => {
  test('signed with the secret over the body alone, with an id, in the shape of the specification', async () => {
    await using hooked = await openHooked();
    const { client, sent } = hooked;
    await register(client, ['transaction.pending', 'transaction.completed']);
    const created = await create(client);
    await client.clock.advance(2_000);
    assert.deepEqual(
      sent.map(({ body }) => body.type),
      ['transaction.pending', 'transaction.completed'],
    );
    const { headers, text, body } = sent[1] as Sent;
    assert.equal(headers['x-service-signature'], hmac(secret, text));
    assert.equal('x-webhook-timestamp' in headers, false);
    const { completedAt, recipient, ...data } = body.data;
    assert.match(completedAt, /Z$/);
    assert.deepEqual([recipient.network, recipient.country], ['Safaricom Kenya', 'Kenya']);
    assert.deepEqual(data, {
      transactionId: created.body.data.id,
      status: 'completed',
      product: { type: 'airtime', localAmount: 100, currency: 'KES' },
      sourceAmount: 0.7737,
      sourceCurrency: 'USD',
      idempotencyKey: 'key-of-it',
    });
  });

  test('only the requested events are sent; both schemes fire if both were requested', async () => {
    await using hooked = await openHooked();
    await register(hooked.client, ['transaction.failed']);
    await create(hooked.client, { callback_url: callback });
    await create(hooked.client, { callback_url: callback, phone_number: '+254712340001' });
    await hooked.client.clock.advance(2_000);
    assert.equal(hooked.sent.filter(({ url }) => url === registered).length, 0, 'the second had the key of the first');
    const other = await hooked.client.v2('POST', '/v2/topups', { body: order({ phone_number: '+254712340001' }) });
    assert.equal(other.status, 201);
    await hooked.client.clock.advance(2_000);
    assert.deepEqual(
      hooked.sent.filter(({ url }) => url === registered).map(({ body }) => body.type),
      ['transaction.failed'],
    );
  });

  test('retries after 1, 5, 30 minutes, 2 and 24 hours; then it is failed, and can be sent again by hand', async () => {
    let status = 503;
    await using hooked = await openHooked({}, () => status);
    const { client, sent } = hooked;
    await register(client, ['transaction.pending']);
    await create(client);
    await client.clock.advance(72 * 3_600_000);
    const start = sent[0]?.at ?? 0;
    assert.deepEqual(
      sent.map(({ at }) => Math.round((at - start) / 60_000)),
      [0, 1, 6, 36, 156, 1_596],
    );
    assert.equal(new Set(sent.map(({ body }) => body.id)).size, 1, 'it is known by its id');
    const read = () => lastDelivery(client);
    assert.equal((await read()).status, 'failed');
    status = 200;
    const retried = await fetch(`${client.url}/_sandbox/deliveries/${(await read()).id}/retry`, { method: 'POST' });
    assert.equal(retried.status, 200);
    await client.clock.advance(1);
    assert.equal((await read()).status, 'delivered');
    assert.equal('signing_key' in (await read()), false);
  });

  test('transaction.refunded is sent a minute after a completed one; its cost becomes 0 and its money is returned', async () => {
    await using hooked = await openHooked();
    const { client, sent } = hooked;
    await register(client, ['transaction.refunded']);
    const { body } = await create(client, { phone_number: '+254712340008' });
    await client.clock.advance(62_000);
    assert.deepEqual(
      sent.map((one) => [one.body.type, one.body.data.status]),
      [['transaction.refunded', 'refunded']],
    );
    const read = await client.v2('GET', `/v2/topups/${body.data.id}`);
    assert.deepEqual([read.body.data.status, read.body.data.cost.value], ['completed', 0]);
    assert.equal(client.sandbox.wallets.find('wallet-usd')?.balance, '10000');
  });

  test('wallet.low_balance is sent once when a wallet falls below its threshold', async () => {
    await using hooked = await openHooked({ balances: { 'wallet-usd': '2' }, lowBalance: { 'wallet-usd': '1' } });
    const { client, sent } = hooked;
    await register(client, ['wallet.low_balance']);
    for (let index = 0; index < 2; index++)
      await client.v2('POST', '/v2/topups', { body: order({ amount: { value: 80, currency: 'KES' } }) });
    await client.v2('POST', '/v2/topups', { body: order({ amount: { value: 6, currency: 'KES' } }) });
    await client.clock.advance(10);
    assert.deepEqual(
      sent.map(({ body }) => [body.type, body.data.walletId]),
      [['wallet.low_balance', 'wallet-usd']],
    );
  });

  test('Version 1 sends no events', async () => {
    await using hooked = await openHooked();
    await register(hooked.client, ['transaction.pending', 'transaction.completed']);
    await hooked.client.v1('POST', '/adp', { body: { msisdn: '254712345675', amount: 10, processingMode: 'ASYNC' } });
    await hooked.client.clock.advance(5_000);
    assert.deepEqual(hooked.sent, []);
  });
});

describe('faults of deliveries', () => {
  const faults = (mix: Record<string, number>) => ({ faults: { mix } });

  test('doubled: the same event twice', async () => {
    await using hooked = await openHooked(faults({ webhook_doubled: 1 }));
    await create(hooked.client, { callback_url: callback, phone_number: '+254712340003' });
    await hooked.client.clock.advance(2_000);
    assert.equal(hooked.sent.length, 2);
    assert.equal(hooked.sent[0]?.text, hooked.sent[1]?.text);
  });

  test('lost: never sent; forged: another one before it under a wrong signature', async () => {
    await using lost = await openHooked(faults({ webhook_lost: 1 }));
    await create(lost.client, { callback_url: callback });
    await lost.client.clock.advance(3_600_000);
    assert.deepEqual(lost.sent, []);
    await using forged = await openHooked(faults({ webhook_forged: 1 }));
    await create(forged.client, { callback_url: callback });
    await forged.client.clock.advance(2_000);
    const [first, second] = forged.sent.slice(2);
    const right = (one: Sent | undefined) =>
      one?.headers['x-webhook-signature'] ===
      hmac('sandbox-key', `${one?.headers['x-webhook-timestamp']}.${one?.text}`);
    assert.deepEqual([right(first), right(second)], [false, true]);
    assert.equal(first?.body.data.status, 'failed');
  });
});

test('6: over HTTP, a webhook reaches a server on this machine', async () => {
  const received: string[] = [];
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      received.push(String(request.headers['x-webhook-event']));
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = await openClient();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  await create(client, { callback_url: url });
  await client.clock.advance(2_000);
  while (received.length < 2) {
    await client.clock.advance(100);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.deepEqual(received.sort(), ['topup.completed', 'topup.processing']);
  await client[Symbol.asyncDispose]();
  server.closeAllConnections();
  server.close();
});
