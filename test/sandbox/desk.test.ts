import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isCallable } from '../../src/sandbox/http/callable.ts';
import { makeManualClock, makeSandbox } from '../../src/sandbox/index.ts';
import { requestExamples } from '../../src/sandbox/openapi-examples.ts';
import { makeMovableClock } from '../../src/sandbox/parts/movable-clock.ts';
import { v1Answers } from '../../src/sandbox/v1/v1-shapes.ts';
import { v2Answers } from '../../src/sandbox/v2/v2-shapes.ts';
import { folderOf } from '../support/folder.ts';
import { type Client, openClient, order } from './client.ts';

const hourMs = 3_600_000;

/** Asks for one of the sandbox's own routes. */
async function desk({ url }: Client, method: 'GET' | 'POST', path: string, body?: unknown) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(`${url}/_sandbox/${path}`, { method, ...(body === undefined ? {} : { body: text }) });
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into the answers.
  return { status: answer.status, body: (await answer.json()) as any };
}

const create = (client: Client, fields: object = {}, key = 'k') =>
  client.v2('POST', '/v2/topups', { body: order(fields), headers: { 'idempotency-key': key } });

const global = { wallet_mode: 'global' };

test('every answer says the time of the sandbox’s own clock', async () => {
  await using client = await openClient();
  const dateOf = async (path: string) => {
    const { headers } = await fetch(`${client.url}${path}`);
    return Date.parse(headers.get('date') ?? '');
  };
  const before = await dateOf('/v2/balance');
  await desk(client, 'POST', 'clock', { advance_ms: 48 * hourMs });
  for (const path of ['/v2/balance', '/adp/transactions?extRefId=x', '/v2/%zz'])
    assert.ok((await dateOf(path)) - before >= 48 * hourMs, path);
});

describe('POST /_sandbox/wallets/:id', () => {
  test('sets the balance of a wallet, with a movement, so that its statement still adds up', async () => {
    await using client = await openClient();
    for (const balance of [0.5, '0.5']) {
      const { status, body } = await desk(client, 'POST', 'wallets/wallet-usd', { balance });
      assert.deepEqual([status, body.balance, body.status], [200, 0.5, 'active']);
    }
    assert.equal((await create(client, global)).body.error.code, 'INSUFFICIENT_BALANCE');
    await desk(client, 'POST', 'wallets/wallet-usd', { balance: 10 });
    assert.equal((await create(client, global)).status, 201);
    const { body } = await desk(client, 'GET', 'statement/wallet-usd');
    assert.deepEqual(
      body.statement.map(({ amount, why }: Record<string, unknown>) => [amount, why]),
      [
        ['10000', 'funding'],
        ['-9999.5', 'funding'],
        ['0', 'funding'],
        ['9.5', 'funding'],
        ['-0.7737', 'charge'],
      ],
    );
  });

  test('sets a balance of Version 1', async () => {
    await using client = await openClient();
    await desk(client, 'POST', 'wallets/00000000-0000-4000-8000-000000000001', { balance: 1 });
    const { body } = await client.v1('POST', '/adp', { body: { msisdn: '254712345675', amount: 10 } });
    assert.equal(body.code, 20);
  });

  test('makes a wallet inactive: it pays nothing, and is not in the summary', async () => {
    await using client = await openClient();
    await desk(client, 'POST', 'wallets/wallet-usd', { status: 'inactive' });
    const balance = await client.v2('GET', '/v2/balance', { shape: v2Answers.balance });
    const wallets = balance.body.data.wallets as { id: string; status: string }[];
    assert.equal(wallets.find(({ id }) => id === 'wallet-usd')?.status, 'inactive');
    assert.ok(balance.body.data.available_balance.amount < 10_000);
    assert.equal((await create(client, global)).body.error.code, 'INSUFFICIENT_BALANCE');
    assert.equal((await create(client)).body.data.wallet.id, 'wallet-kes');
    await desk(client, 'POST', 'wallets/wallet-usd', { status: 'active' });
    assert.equal((await create(client, global, 'k2')).status, 201);
  });

  test('sets the threshold of wallet.low_balance', async () => {
    const sent: string[] = [];
    await using client = await openClient({}, { post: async ({ body }) => sent.push(JSON.parse(body).type) && 200 });
    const login = await client.v2('POST', '/enterprise/auth/login', {
      key: null,
      body: requestExamples['POST /enterprise/auth/login'],
    });
    const { access_token, company_id } = login.body.data;
    await client.v2('POST', '/enterprise/webhooks', {
      key: null,
      headers: { authorization: `Bearer ${access_token}`, 'x-company-id': company_id },
      body: { url: 'https://client.example', events: ['wallet.low_balance'], secret: 'a good secret' },
    });
    await desk(client, 'POST', 'wallets/wallet-usd', { low_balance: 100 });
    await client.clock.advance(10);
    assert.deepEqual(sent, []);
    await desk(client, 'POST', 'wallets/wallet-usd', { balance: 99 });
    await client.clock.advance(10);
    assert.deepEqual(sent, ['wallet.low_balance']);
  });

  test('refuses an impossible value, and does not echo an unknown wallet', async () => {
    await using client = await openClient();
    assert.equal((await desk(client, 'POST', 'wallets/nothing', { balance: 1 })).status, 404);
    for (const [body, message] of [
      [{}, /at least one of/],
      [{ balance: -1 }, /balance must be a number of at least 0/],
      [{ balance: 'much' }, /balance must be/],
      [{ status: 'closed' }, /status is invalid/],
      ['{', /must be an object|is missing/],
    ] as const) {
      const answer = await desk(client, 'POST', 'wallets/wallet-usd', body);
      assert.equal(answer.status, 400);
      assert.match(answer.body.message, message);
    }
    assert.equal(client.sandbox.wallets.find('wallet-usd')?.balance, '10000');
  });
});

describe('POST /_sandbox/clock', () => {
  test('sets the time forward: everything due happens on the way, at its own time', async () => {
    await using client = await openClient();
    const { body: created } = await create(client);
    const before = await desk(client, 'GET', 'clock');
    const { body: clock } = await desk(client, 'POST', 'clock', { advance_ms: 2 * hourMs });
    assert.equal(Date.parse(clock.now) - Date.parse(before.body.now), 2 * hourMs);
    assert.equal(clock.advanced_ms, 2 * hourMs);
    const { body } = await client.v2('GET', `/v2/topups/${created.data.id}`, { shape: v2Answers.single });
    assert.equal(body.data.status, 'completed');
    assert.ok(Date.parse(body.data.completed_at) - Date.parse(body.data.created_at) < 2_000);
    const again = await create(client);
    assert.equal(again.body.data.id, created.data.id, 'the key is younger than a day');
    await desk(client, 'POST', 'clock', { advance_ms: 22 * hourMs });
    assert.notEqual((await create(client)).body.data.id, created.data.id);
  });

  test('ends a wait, for example of a webhook that is retried or a SYNC answer', async () => {
    const sent: string[] = [];
    await using client = await openClient({}, { post: async ({ url }) => sent.push(url) && 500 });
    await create(client, { callback_url: 'https://client.example/a', phone_number: '+254712340003' });
    await desk(client, 'POST', 'clock', { advance_ms: 2_000 });
    await client.clock.advance(1);
    assert.equal(sent.length, 1);
    await desk(client, 'POST', 'clock', { advance_ms: 60_000 });
    await client.clock.advance(1);
    assert.equal(sent.length, 2);
    const slow = client.v1('POST', '/adp', { body: { msisdn: '254712340002', amount: 10 } });
    await desk(client, 'GET', 'clock');
    await desk(client, 'POST', 'clock', { advance_ms: 10_000 });
    await client.clock.advance(1);
    assert.equal((await slow).body.code, 10);
  });

  test('accepts only a later time', async () => {
    await using client = await openClient();
    for (const advance_ms of [-1, 1.5, 'an hour', 1e15, null])
      assert.equal((await desk(client, 'POST', 'clock', { advance_ms })).status, 400, String(advance_ms));
  });

  test('keeps the time after a restart on the same data', async (t) => {
    const data = join(folderOf(t), 'sandbox.db');
    const clock = makeManualClock();
    const first = await makeSandbox({ data, clock });
    const url = await first.listen({ port: 0 });
    await fetch(`${url}/_sandbox/clock`, { method: 'POST', body: JSON.stringify({ advance_ms: hourMs }) });
    await first.close();
    const second = await makeSandbox({ data, clock });
    const answer = await fetch(`${await second.listen({ port: 0 })}/_sandbox/clock`);
    assert.deepEqual(await answer.json(), {
      now: new Date(clock.now() + hourMs).toISOString(),
      advanced_ms: hourMs,
    });
    await second.close();
  });

  test('a real clock that is set back makes nobody wait longer than before', async () => {
    const base = makeManualClock();
    const clock = makeMovableClock(base, hourMs);
    const rung: string[] = [];
    clock.after(1_000, () => rung.push('waited'));
    const cancel = clock.after(1_000, () => rung.push('cancelled'));
    clock.reset();
    cancel();
    await base.advance(999);
    assert.deepEqual(rung, []);
    await base.advance(1);
    assert.deepEqual(rung, ['waited']);
    assert.equal(base.waiting, 0);
  });
});

describe('POST /_sandbox/reset', () => {
  test('restores the state of a first start, with the balances of the options', async () => {
    await using client = await openClient({ balances: { 'wallet-usd': '50' } });
    const first = await create(client);
    await desk(client, 'POST', 'wallets/wallet-kes', { status: 'inactive', balance: 1 });
    await desk(client, 'POST', 'keys/sandbox-read-only-key/revoke');
    await desk(client, 'POST', 'clock', { advance_ms: hourMs });
    assert.deepEqual((await desk(client, 'POST', 'reset')).body, { reset: true });
    assert.deepEqual((await desk(client, 'GET', 'charges')).body.charges, []);
    assert.equal((await desk(client, 'GET', 'clock')).body.advanced_ms, 0);
    const { find } = client.sandbox.wallets;
    assert.deepEqual([find('wallet-usd')?.balance, find('wallet-kes')?.balance], ['50', '500000']);
    assert.equal((await client.v2('GET', '/v2/balance', { key: 'sandbox-read-only-key' })).status, 200);
    const again = await create(client);
    assert.equal(again.headers.get('x-ratelimit-remaining'), '59');
    assert.notEqual(again.body.data.id, first.body.data.id, 'no id comes twice');
  });

  test('answers a waiting SYNC request whose top-up is gone', async () => {
    await using client = await openClient();
    const slow = client.v1('POST', '/adp', { body: { msisdn: '254712340002', amount: 10 }, shape: v1Answers.error });
    await desk(client, 'GET', 'clock');
    await desk(client, 'POST', 'reset');
    await client.clock.advance(10_000);
    assert.equal((await slow).status, 500);
  });
});

describe('the addresses of webhooks', () => {
  test('are https, plain http to this machine, and with an option plain http to private names', () => {
    const own = ['https://example.com/a', 'http://localhost:1/a', 'http://127.0.0.1:1/a', 'http://[::1]:1/a'];
    const ofHouse = [
      'http://receiver:3000/a',
      'http://host.docker.internal/a',
      'http://10.1.2.3/a',
      'http://app.local',
    ];
    const never = [
      'http://example.com/a',
      'http://169.254.169.254/a',
      'http://172.32.0.1/a',
      'http://metadata.google.internal/a',
      'http://8.8.8.8/a',
      'http://user:secret@receiver/a',
      'ftp://receiver/a',
      'receiver',
    ];
    for (const allowHttpCallbacks of [false, true]) {
      for (const url of own) assert.ok(isCallable(url, { allowHttpCallbacks }), url);
      for (const url of ofHouse) assert.equal(isCallable(url, { allowHttpCallbacks }), allowHttpCallbacks, url);
      for (const url of never) assert.equal(isCallable(url, { allowHttpCallbacks }), false, url);
    }
  });

  test('a callback to a container is accepted and sent if http is allowed', async () => {
    const sent: string[] = [];
    const deps = { post: async ({ url }: { url: string }) => sent.push(url) && 200 };
    const fields = { callback_url: 'http://receiver:3000/topups' };
    await using refused = await openClient({}, deps);
    assert.match(
      (await create(refused, fields)).body.error.message,
      /^callback_url must be https, or http to this machine/,
    );
    await using client = await openClient({ allowHttpCallbacks: true, settleMs: 0 }, deps);
    assert.equal((await create(client, fields)).status, 201);
    await client.clock.advance(10);
    assert.deepEqual(sent, [fields.callback_url]);
  });

  test('a receiver that does not answer delays no other, however much waits for it', async () => {
    const sent: string[] = [];
    await using client = await openClient(
      { settleMs: 0, rate: 1_000 },
      {
        post: ({ url }) => {
          sent.push(url);
          return url.includes('dead') ? new Promise<number>(() => undefined) : Promise.resolve(200);
        },
      },
    );
    for (let index = 0; index < 60; index++)
      await create(client, { callback_url: `https://dead.example/${index}` }, `dead-${index}`);
    await client.clock.advance(10);
    const toDead = sent.length;
    assert.ok(toDead > 1 && toDead < 60, `${toDead} at once`);
    for (let index = 0; index < 60; index++)
      await create(client, { callback_url: `https://alive.example/${index}` }, `alive-${index}`);
    await client.clock.advance(10);
    assert.equal(sent.filter((url) => url.includes('alive')).length, 60);
  });
});

test('the examples of the OpenAPI document work', async () => {
  await using client = await openClient();
  const document = (await (await fetch(`${client.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
    webhooks: Record<string, unknown>;
  };
  const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId));
  assert.ok(ids.includes('getV2TopupsById') && ids.includes('postSandboxWalletsById'), ids.join());
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(Object.keys(document.webhooks).length, 8);
  const login = await client.v2('POST', '/enterprise/auth/login', {
    key: null,
    body: requestExamples['POST /enterprise/auth/login'],
  });
  const { access_token, company_id } = login.body.data;
  for (const [name, body] of Object.entries(requestExamples)) {
    const [, path = ''] = name.split(' ');
    const token = { authorization: `Bearer ${access_token}`, 'x-company-id': company_id };
    const options = path.startsWith('/enterprise') ? { key: null, headers: token, body } : { body };
    const version = path.startsWith('/adp') ? client.v1 : client.v2;
    const { status } = path.startsWith('/_sandbox')
      ? await desk(client, 'POST', path.slice('/_sandbox/'.length).replace(':id', 'wallet-usd'), body)
      : await version('POST', path, options);
    assert.ok(status < 300, `${name}: ${status}`);
  }
});
