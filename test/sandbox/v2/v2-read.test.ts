import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { v2Answers } from '../../../src/sandbox/v2/v2-shapes.ts';
import { type Client, openClient, order } from '../client.ts';

const shape = v2Answers.list;

async function create(client: Client, fields: object = {}): Promise<string> {
  const { body } = await client.v2('POST', '/v2/topups', { body: order(fields), shape: v2Answers.created });
  await client.clock.advance(1);
  return body.data.id;
}

async function ids(client: Client, query: string): Promise<string[]> {
  const { body } = await client.v2('GET', `/v2/topups?${query}`, { shape });
  return body.data.map(({ id }: { id: string }) => id);
}

describe('4.2 GET /v2/topups', () => {
  test('pages of 20 by default, newest first, with the pagination of section 2.1', async () => {
    await using client = await openClient();
    const all: string[] = [];
    for (let index = 0; index < 45; index++) all.unshift(await create(client));
    const { body } = await client.v2('GET', '/v2/topups', { shape });
    assert.deepEqual(
      body.data.map(({ id }: { id: string }) => id),
      all.slice(0, 20),
    );
    assert.deepEqual(body.meta.pagination, {
      page: 1,
      per_page: 20,
      total: 45,
      total_pages: 3,
      has_next: true,
      has_prev: false,
    });
    const last = await client.v2('GET', '/v2/topups?page=3', { shape });
    assert.equal(last.body.data.length, 5);
    assert.deepEqual([last.body.meta.pagination.has_next, last.body.meta.pagination.has_prev], [false, true]);
  });

  test('8.2: 100 a page at most', async () => {
    await using client = await openClient();
    assert.equal((await client.v2('GET', '/v2/topups?per_page=100', { shape })).status, 200);
    for (const query of [
      'per_page=101',
      'per_page=0',
      'page=0',
      'page=x',
      'status=done',
      'sort=cost',
      'from=yesterday',
    ])
      assert.equal((await client.v2('GET', `/v2/topups?${query}`)).status, 400, query);
  });

  test('2.2: entries carry only the fields of a list entry', async () => {
    await using client = await openClient();
    await create(client, { sms: { enabled: true } });
    const { body } = await client.v2('GET', '/v2/topups', { shape });
    assert.deepEqual(Object.keys(body.data[0]).sort(), [
      'amount',
      'completed_at',
      'cost',
      'created_at',
      'id',
      'network',
      'phone_number',
      'reference',
      'status',
      'wallet',
    ]);
  });

  test('filters by status, part of the number, exact reference and time', async () => {
    await using client = await openClient();
    const failed = await create(client, { phone_number: '+254712340001', reference: 'a/1' });
    const stuck = await create(client, { phone_number: '+254712340003', reference: 'a/12' });
    await client.clock.advance(2_000);
    const young = await create(client, { phone_number: '+254798123455', reference: 'a/2' });
    assert.deepEqual(await ids(client, 'status=failed'), [failed]);
    assert.deepEqual(await ids(client, 'status=processing'), [stuck]);
    assert.deepEqual(await ids(client, 'status=pending'), [young]);
    assert.deepEqual(await ids(client, 'status=completed'), []);
    assert.deepEqual(await ids(client, 'phone_number=71234'), [stuck, failed]);
    assert.deepEqual(await ids(client, 'phone_number=%2B254798123455'), [young]);
    assert.deepEqual(await ids(client, 'reference=a%2F1'), [failed]);
    const middle = new Date(client.clock.now() - 1_000).toISOString();
    assert.deepEqual(await ids(client, `from=${middle}`), [young]);
    assert.deepEqual(await ids(client, `to=${middle}`), [stuck, failed]);
  });

  test('finds a reference that contains "?", escaped or not', async () => {
    await using client = await openClient();
    const asked = await create(client, { reference: 'who?x=y?' });
    for (const query of ['reference=who?x=y?&per_page=5', 'reference=who%3Fx%3Dy%3F'])
      assert.deepEqual(await ids(client, query), [asked], query);
  });

  test('sorts by each of its four fields, both ways', async () => {
    await using client = await openClient();
    const dear = await create(client, { amount: { value: 900, currency: 'KES' } });
    const cheap = await create(client, { amount: { value: 10, currency: 'KES' }, wallet_mode: 'local' });
    const declined = await create(client, { phone_number: '+254712340001', amount: { value: 50, currency: 'KES' } });
    await client.clock.advance(2_000);
    assert.deepEqual(await ids(client, 'sort=created_at'), [dear, cheap, declined]);
    assert.deepEqual(await ids(client, 'sort=-created_at'), [declined, cheap, dear]);
    assert.deepEqual(await ids(client, 'sort=total_usd'), [declined, cheap, dear], 'what failed cost nothing');
    assert.deepEqual(await ids(client, 'sort=-total_usd'), [dear, cheap, declined]);
    const [first, second] = (await ids(client, 'sort=-completed_at')).slice(0, 2);
    assert.deepEqual(new Set([first, second]), new Set([dear, cheap]));
  });

  test('sorts by the status that the entries show', async () => {
    await using client = await openClient();
    const failed = await create(client, { phone_number: '+254712340001' });
    const stuck = await create(client, { phone_number: '+254712340003' });
    const completed = await create(client);
    await client.clock.advance(2_000);
    const pending = await create(client);
    assert.deepEqual(await ids(client, 'sort=status'), [completed, failed, pending, stuck]);
    assert.deepEqual(await ids(client, 'sort=-status'), [stuck, pending, failed, completed]);
  });

  test('counts a refunded top-up as 0 in the order of total_usd', async () => {
    await using client = await openClient();
    const refunded = await create(client, { phone_number: '+254712340008', amount: { value: 900, currency: 'KES' } });
    const cheap = await create(client);
    await client.clock.advance(70_000);
    assert.deepEqual(await ids(client, 'sort=total_usd'), [refunded, cheap]);
  });

  test('reads a time without a zone as UTC, and a date at the end of a period as its whole day', async () => {
    const zone = process.env.TZ;
    process.env.TZ = 'Africa/Nairobi';
    try {
      await using client = await openClient();
      const one = await create(client);
      const [date, time = ''] = new Date(client.clock.now()).toISOString().slice(0, 19).split('T');
      const hour = Number(time.slice(0, 2));
      const at = (hours: number, end = '') => `${date}T${String(hours).padStart(2, '0')}:00:00${end}`;
      for (const [query, found] of [
        [`from=${at(hour)}`, true],
        [`from=${at(hour + 1)}`, false],
        [`to=${at(hour - 1)}`, false],
        [`to=${at(hour + 1)}`, true],
        [`from=${at(hour + 3, '+03:00')}`, true],
        [`from=${at(hour + 4, '%2B03:00')}`, false],
        [`from=${date}&to=${date}`, true],
        [`to=${date}T00:00`, false],
      ] as const)
        assert.deepEqual(await ids(client, query), found ? [one] : [], query);
      for (const query of [`from=${date} 09:00`, `from=${date}T25:00:00Z`, 'from=2026-13-01', 'to=20 Nov 2026'])
        assert.equal((await client.v2('GET', `/v2/topups?${query}`)).status, 400, query);
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  test('shows nothing of another company', async () => {
    await using client = await openClient();
    await create(client);
    const { body } = await client.v2('GET', '/v2/topups', { key: 'other-company-key', shape });
    assert.deepEqual(body.data, []);
  });

  test('can lag behind a creation, as an option', async () => {
    await using client = await openClient({ listLagMs: 1_000 });
    await create(client);
    assert.deepEqual(await ids(client, ''), []);
    await client.clock.advance(1_000);
    assert.equal((await ids(client, '')).length, 1);
  });
});

describe('4.4, 4.5 balances', () => {
  test('2.3: the summary adds up all wallets in dollars', async () => {
    await using client = await openClient({
      balances: { 'wallet-usd': '100', 'wallet-kes': '12925', 'wallet-ngn': '0', 'wallet-zar': '0' },
    });
    const { body } = await client.v2('GET', '/v2/balance', { shape: v2Answers.balance });
    assert.deepEqual(body.data.available_balance, { amount: 200, currency: 'USD' });
    assert.deepEqual(body.data.wallets[0], {
      id: 'wallet-usd',
      currency: 'USD',
      balance: 100,
      type: 'global',
      status: 'active',
      allowed_countries: ['*'],
    });
    assert.deepEqual(body.data.wallets[1].allowed_countries, ['KE']);
  });

  test('4.5: one wallet; 404 for an unknown one and for one of another company', async () => {
    await using client = await openClient();
    const { body } = await client.v2('GET', '/v2/balance/wallet-kes', { shape: v2Answers.wallet });
    assert.deepEqual([body.data.currency, body.data.balance], ['KES', 500_000]);
    for (const id of ['none', 'other-usd', '00000000-0000-4000-8000-000000000001'])
      assert.equal((await client.v2('GET', `/v2/balance/${id}`)).status, 404, id);
  });

  test('an inactive wallet pays nothing', async () => {
    await using client = await openClient();
    client.sandbox.wallets.setStatus('wallet-kes', 'inactive');
    const { body } = await client.v2('POST', '/v2/topups', { body: order({ wallet_mode: 'local' }) });
    assert.equal(body.error.code, 'WALLET_TYPE_UNAVAILABLE');
  });
});

describe('4.6 GET /v2/catalog/lookup', () => {
  const shape = v2Answers.catalog;

  test('looks up by number, country, network and name', async () => {
    await using client = await openClient();
    const look = async (query: string) => (await client.v2('GET', `/v2/catalog/lookup?${query}`, { shape })).body.data;
    const names = async (query: string) => (await look(query)).networks.map(({ name }: { name: string }) => name);
    assert.deepEqual(await names('phone_number=%2B254733123456'), ['Airtel Kenya']);
    assert.deepEqual(await names('country_code=RW'), ['MTN Rwanda', 'Airtel Rwanda']);
    assert.deepEqual(await names('network_id=12'), ['MTN Nigeria']);
    assert.deepEqual(await names('search=safaricom'), ['Safaricom Kenya', 'Safaricom Ethiopia']);
    const kenya = await look('network_id=1');
    assert.deepEqual(kenya.products[1], {
      id: '102',
      name: 'Safaricom Kenya Data 1 GB, 24 hours',
      network_id: 1,
      network_name: 'Safaricom Kenya',
      amount: { value: 99, currency: 'KES' },
    });
  });

  test('2.6: withdrawn products are not listed', async () => {
    await using client = await openClient();
    const { body } = await client.v2('GET', '/v2/catalog/lookup', { shape });
    assert.ok(body.data.products.length > 40);
    assert.equal(
      body.data.products.some(({ id }: { id: string }) => id.endsWith('99')),
      false,
    );
  });
});

describe('4.7, 4.8 enterprise', () => {
  const login = async (client: Client, password = 'sandbox-password') =>
    client.v2('POST', '/enterprise/auth/login', {
      key: null,
      body: { email: 'admin@airbatch.test', password },
      shape: v2Answers.login,
    });
  const body = { url: 'https://example.com/hook', events: ['transaction.completed'], secret: 'a good secret' };

  test('4.7: login gives an access token for an hour', async () => {
    await using client = await openClient();
    assert.equal((await login(client, 'wrong')).status, 401);
    const { data } = (await login(client)).body;
    const headers = { authorization: `Bearer ${data.access_token}`, 'x-company-id': data.company_id };
    const register = () =>
      client.v2('POST', '/enterprise/webhooks', { key: null, headers, body, shape: v2Answers.webhook });
    assert.equal((await register()).status, 201);
    await client.clock.advance(3_600_000);
    assert.equal((await register()).status, 401);
  });

  test('4.8, 5.1: a webhook needs token, company, https, known events and a secret', async () => {
    await using client = await openClient();
    const { data } = (await login(client)).body;
    const good = { authorization: `Bearer ${data.access_token}`, 'x-company-id': data.company_id };
    const status = async (headers: Record<string, string>, fields: object = {}) =>
      (await client.v2('POST', '/enterprise/webhooks', { key: null, headers, body: { ...body, ...fields } })).status;
    assert.equal(await status(good), 201);
    assert.equal(await status({ ...good, authorization: 'Bearer sandbox-key' }), 401);
    assert.equal(await status({ authorization: good.authorization }), 403);
    assert.equal(await status({ ...good, 'x-company-id': 'other-company' }), 403);
    assert.equal(await status(good, { url: 'http://example.com/hook' }), 400);
    assert.equal(await status(good, { url: 'http://127.0.0.1:9/hook' }), 201);
    assert.equal(await status(good, { events: ['topup.completed'] }), 400);
    assert.equal(await status(good, { events: [] }), 400);
    assert.equal(await status(good, { secret: undefined }), 400);
  });
});

describe('8.1 limits', () => {
  test('60 creations in a window, then 429 with RATE_LIMITED and Retry-After, which the headers announce', async () => {
    await using client = await openClient();
    await client.clock.advance(60_000 - (client.clock.now() % 60_000) + 10_000);
    const create = () => client.v2('POST', '/v2/topups', { body: order() });
    const first = await create();
    assert.equal(first.headers.get('x-ratelimit-limit'), '60');
    assert.equal(first.headers.get('x-ratelimit-remaining'), '59');
    assert.equal(Number(first.headers.get('x-ratelimit-reset')) * 1_000, client.clock.now() + 50_000);
    for (let index = 1; index < 60; index++) assert.equal((await create()).status, 201);
    const over = await create();
    assert.deepEqual([over.status, over.body.error.code], [429, 'RATE_LIMITED']);
    assert.match(over.body.error.message, /50 seconds/);
    assert.equal(over.headers.get('retry-after'), '50');
    assert.equal(over.headers.get('x-ratelimit-remaining'), '0');
    assert.equal((await client.v2('GET', '/v2/balance')).status, 200, 'reads have a limit of their own');
    await client.clock.advance(50_000);
    assert.equal((await create()).status, 201);
  });

  test('each class has its own limit: reads 300, catalog 120, writes 120, login 20', async () => {
    await using client = await openClient();
    const limitOf = async (method: string, path: string, body?: unknown) =>
      (await client.v2(method, path, { ...(body === undefined ? {} : { body }) })).headers.get('x-ratelimit-limit');
    assert.equal(await limitOf('GET', '/v2/topups'), '300');
    assert.equal(await limitOf('GET', '/v2/catalog/lookup'), '120');
    assert.equal(await limitOf('POST', '/enterprise/auth/login', { email: 'x', password: 'y' }), '20');
    const { data } = (
      await client.v2('POST', '/enterprise/auth/login', {
        body: { email: 'admin@airbatch.test', password: 'sandbox-password' },
      })
    ).body;
    const headers = { authorization: `Bearer ${data.access_token}`, 'x-company-id': data.company_id };
    const write = await client.v2('POST', '/enterprise/webhooks', {
      key: null,
      headers,
      body: { url: 'https://example.com', events: ['transaction.failed'], secret: 'a good secret' },
    });
    assert.equal(write.headers.get('x-ratelimit-limit'), '120');
  });

  test('each company has its own limits, and a rate raises all of them in proportion', async () => {
    await using client = await openClient({ rate: 6, windowMs: 1_000 });
    for (let index = 0; index < 6; index++) await client.v2('POST', '/v2/topups', { body: order() });
    assert.equal((await client.v2('POST', '/v2/topups', { body: order() })).status, 429);
    assert.equal((await client.v2('POST', '/v2/topups', { body: order(), key: 'other-company-key' })).status, 201);
    assert.equal((await client.v2('GET', '/v2/topups')).headers.get('x-ratelimit-limit'), '30');
    await client.clock.advance(1_000);
    assert.equal((await client.v2('POST', '/v2/topups', { body: order() })).status, 201);
  });
});
