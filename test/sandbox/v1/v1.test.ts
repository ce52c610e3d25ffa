import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { v1WalletId } from '../../../src/sandbox/money/wallets.ts';
import { v1Answers } from '../../../src/sandbox/v1/v1-shapes.ts';
import { type Answer, type Client, freshNumber, openClient, v1Headers } from '../client.ts';

const digits = () => freshNumber().slice(1);
const nothing = { 'x-service-email': '' };

async function send(client: Client, fields: object = {}): Promise<Answer> {
  const body = { msisdn: digits(), amount: 100, processingMode: 'ASYNC', ...fields };
  return client.v1('POST', '/adp', { body, shape: v1Answers.created });
}

/** SYNC waits for the operator: the clock is moved until the answer is there. */
async function sendSync(client: Client, fields: object = {}): Promise<Answer> {
  let answer: Answer | null = null;
  const asked = send(client, { processingMode: 'SYNC', ...fields }).then((given) => {
    answer = given;
  });
  while (answer === null) {
    await new Promise((resolve) => setImmediate(resolve));
    if (client.clock.waiting > 0) await client.clock.advance(500);
  }
  await asked;
  return answer;
}

const lookup = (client: Client, query: string) =>
  client.v1('GET', `/adp/transactions?${query}`, { shape: v1Answers.transactions });

describe('4.9 POST /adp', () => {
  test('3.2: ASYNC answers 232 at once with a pending transaction', async () => {
    await using client = await openClient();
    const { status, body } = await send(client, { extRefId: 'a' });
    assert.deepEqual([status, body.statusCode, body.code, body.data.state], [200, 200, 232, 'PENDING']);
    assert.deepEqual(body.data.wallet, { currency: 'KES', amount: '100', fxRate: null });
    assert.deepEqual(body.data.provider, { transaction_id: null, reference_code: null });
  });

  test('3.2: SYNC, the default, answers with the terminal state', async () => {
    await using client = await openClient();
    const good = await sendSync(client, { processingMode: undefined });
    assert.deepEqual([good.status, good.body.code, good.body.data.state], [200, 1, 'SUCCESS']);
    assert.match(good.body.data.provider.transaction_id, /^OP/);
    const declined = await sendSync(client, { msisdn: '254712340001' });
    assert.deepEqual([declined.status, declined.body.code], [403, 5]);
    const bundle = await sendSync(client, { msisdn: '254722340001', productId: 102, amount: undefined });
    assert.deepEqual([bundle.status, bundle.body.code], [403, 221]);
  });

  test('8.2: SYNC waits ten seconds, and then reports pending', async () => {
    await using client = await openClient();
    const startedAt = client.clock.now();
    const { body } = await sendSync(client, { msisdn: '254712340002', extRefId: 'slow' });
    assert.deepEqual([body.code, body.data.state], [10, 'PROCESSING']);
    assert.ok(client.clock.now() - startedAt <= 11_000);
    await client.clock.advance(20_000);
    assert.equal((await lookup(client, 'extRefId=slow')).body.data[0].state, 'SUCCESS');
  });

  test('products: the amount of a fixed one is preset, an open one needs an amount', async () => {
    await using client = await openClient();
    const fixed = await send(client, { productId: 102, amount: 5 });
    assert.equal(fixed.body.data.amount, 99);
    const open = await send(client, { productId: 100, amount: 50 });
    assert.equal(open.body.data.amount, 50);
    assert.equal((await send(client, { productId: 100, amount: undefined })).status, 400);
    assert.equal((await send(client, { amount: undefined })).status, 400);
  });

  test('4.9: a fixed product ignores the amount', async () => {
    await using client = await openClient();
    for (const amount of [5, 0, -1, 1e9, 99.999, '5', null, {}]) {
      const { status, body } = await send(client, { productId: 102, amount });
      assert.deepEqual([status, body.data?.amount], [200, 99], String(amount));
    }
    for (const amount of [0, -1, '5', {}]) {
      assert.equal((await send(client, { productId: 100, amount })).status, 400, String(amount));
      assert.equal((await send(client, { amount })).status, 400, String(amount));
    }
  });

  test('4.9: optional fields may be null, and Content-Type is application/json', async () => {
    await using client = await openClient();
    const none = { productId: null, sendSMS: null, extRefId: null };
    assert.equal((await send(client, none)).body.code, 232);
    const headers = { ...v1Headers, 'content-type': 'text/plain' };
    const answer = await client.v1('POST', '/adp', { headers, body: { msisdn: digits(), amount: 10 } });
    assert.deepEqual([answer.status, answer.body.statusCode], [400, 400]);
  });

  test('2.5: a balance in dollars pays at a rate, which the answer names', async () => {
    await using client = await openClient();
    const { body } = await send(client, { msisdn: '255752123455', amount: 2610 });
    assert.deepEqual(body.data.wallet, { currency: 'USD', amount: '1', fxRate: '2610' });
    assert.equal(body.data.effectiveAmount, '1');
  });

  test('5.2: both headers are needed', async () => {
    await using client = await openClient();
    for (const headers of [
      nothing,
      { ...v1Headers, 'x-service-token': 'wrong' },
      { 'x-service-email': 'sandbox@airbatch.test' },
    ]) {
      for (const [method, path] of [
        ['POST', '/adp'],
        ['GET', '/adp/balances'],
        ['GET', '/adp/product-catalog'],
        ['GET', '/adp/transactions?extRefId=a'],
      ] as const) {
        const answer = await client.v1(method, path, {
          headers: headers as Record<string, string>,
          ...(method === 'POST' ? { body: {} } : {}),
        });
        assert.deepEqual([answer.status, answer.body.statusCode], [401, 401], `${method} ${path}`);
        assert.equal('code' in answer.body, false);
      }
    }
  });

  test('8.1: 60 a minute', async () => {
    await using client = await openClient({ rate: 3 });
    for (let index = 0; index < 3; index++) assert.equal((await send(client)).status, 200);
    const over = await send(client);
    assert.equal(over.status, 429);
    assert.ok(Number(over.headers.get('retry-after')) >= 1);
    assert.equal(over.headers.get('x-ratelimit-limit'), null, 'Version 1 shows no such headers');
  });
});

/**
 * Every code of section 7.2, and how it is reached. 1, 5, 10, 221 and 232 are above; 160 and 170 belong to look-ups.
 */
const refusals: [number, string, (client: Client) => Promise<Answer>][] = [
  [20, 'a balance that is too low', async (client) => send(client, { msisdn: '254712340004' })],
  [30, 'a number that cannot be', async (client) => send(client, { msisdn: '254712340007' })],
  [
    50,
    'a second recharge of a number within a minute',
    async (client) => {
      const msisdn = digits();
      await send(client, { msisdn });
      return send(client, { msisdn });
    },
  ],
  [
    90,
    'an extRefId that was used',
    async (client) => {
      await send(client, { extRefId: 'twice' });
      return send(client, { extRefId: 'twice' });
    },
  ],
  [
    150,
    'an amount that the product cannot have',
    async (client) => send(client, { msisdn: '256772123455', productId: 400, amount: 1000.5 }),
  ],
  [
    190,
    'a customer that is not located',
    async (client) =>
      client.v1('POST', '/adp', {
        headers: { ...v1Headers, 'x-service-email': 'nowhere@airbatch.test' },
        body: { msisdn: digits(), amount: 10 },
      }),
  ],
  [200, 'a destination that is not enabled', async (client) => send(client, { msisdn: '639171234555', amount: 50 })],
  [210, 'a product that is gone', async (client) => send(client, { productId: 199, amount: undefined })],
  [218, 'a product of another network', async (client) => send(client, { productId: 1201, amount: undefined })],
  [222, 'a number that cannot be verified', async (client) => send(client, { msisdn: '254712349222' })],
  [227, 'an amount below the least', async (client) => send(client, { amount: 4 })],
  [228, 'an amount above the most', async (client) => send(client, { amount: 10_001 })],
  [231, 'a source amount below its least', async (client) => send(client, { msisdn: '254712349231' })],
  [234, 'a route that is down', async (client) => send(client, { msisdn: '254712349234' })],
];

describe('7.2 the codes of Version 1', () => {
  for (const [code, what, reach] of refusals) {
    test(`${code}: ${what}`, async () => {
      await using client = await openClient();
      const before = client.sandbox.charges().length;
      const answer = await reach(client);
      assert.deepEqual([answer.status, answer.body.statusCode, answer.body.code], [403, 403, code]);
      assert.ok(client.sandbox.charges().length <= before + 1, 'what was refused is not charged');
    });
  }

  test('50 and 234 pass after their time: the minute is over, the route is up again', async () => {
    await using client = await openClient();
    const msisdn = digits();
    await send(client, { msisdn });
    await client.clock.advance(60_000);
    assert.equal((await send(client, { msisdn })).body.code, 232);
    const codes = [];
    for (let index = 0; index < 3; index++) codes.push((await send(client, { msisdn: '254712349234' })).body.code);
    assert.deepEqual(codes, [234, 234, 232]);
  });

  test('50 is not for another amount, as it advises', async () => {
    await using client = await openClient();
    const msisdn = digits();
    await send(client, { msisdn, amount: 100 });
    assert.equal((await send(client, { msisdn, amount: 101 })).body.code, 232);
    assert.equal((await send(client, { msisdn, amount: 100 })).body.code, 50);
  });

  test('90 is for a reference that was used at any time; a refusal does not use it up', async () => {
    await using client = await openClient();
    await send(client, { extRefId: 'x', amount: 1 });
    assert.equal((await send(client, { extRefId: 'x' })).body.code, 232);
    await client.clock.advance(48 * 3_600_000);
    assert.equal((await send(client, { extRefId: 'x' })).body.code, 90);
  });

  test('235: a transaction is not found by its own id', async () => {
    await using client = await openClient();
    const { status, body } = await lookup(client, 'transaction_Id=00000000-0000-4000-8000-000000000000');
    assert.deepEqual([status, body.code], [404, 235]);
  });
});

describe('4.13 GET /adp/transactions', () => {
  test('at least one parameter is needed; 404 if nothing is found', async () => {
    await using client = await openClient();
    const none = await lookup(client, '');
    assert.deepEqual([none.status, none.body.message], [400, 'At least one search parameter is required']);
    const unknown = await lookup(client, 'extRefId=unknown');
    assert.deepEqual([unknown.status, unknown.body.message], [404, 'No transactions found']);
  });

  const endings: [string, string, number, number][] = [
    ['254712345675', 'SUCCESS', 1, 2_000],
    ['254712345675', 'PENDING', 10, 0],
    ['254712345675', 'PROCESSING', 10, 600],
    ['254712340001', 'FAILED', 5, 2_000],
    ['254712340012', 'UNDERLIVERED', 5, 2_000],
    ['254712340011', 'TIMEOUT', 160, 12 * 60_000],
    ['254712340003', 'TIMEOUT', 160, 12 * 60_000],
    ['254712340013', 'CANCELED', 170, 2_000],
  ];
  for (const [msisdn, state, code, afterMs] of endings) {
    test(`one record that is ${state} gives envelope code ${code} (...${msisdn.slice(-4)})`, async () => {
      await using client = await openClient();
      await send(client, { msisdn, extRefId: 'ref' });
      await client.clock.advance(afterMs);
      const { body } = await lookup(client, 'extRefId=ref');
      assert.deepEqual([body.code, body.data.length, body.data[0].state], [code, 1, state]);
      assert.equal(body.data[0].status, state === 'SUCCESS');
      assert.equal(body.data[0].msisdn, msisdn);
    });
  }

  test('several records give code 1 whatever their states; parameters are combined with AND', async () => {
    await using client = await openClient();
    const msisdn = '254712340001';
    const first = await send(client, { msisdn, extRefId: 'one' });
    await client.clock.advance(61_000);
    await send(client, { msisdn, extRefId: 'two' });
    const both = await lookup(client, `msisdn=${msisdn}`);
    assert.deepEqual([both.body.code, both.body.data.length], [1, 2]);
    const one = await lookup(client, `msisdn=${msisdn}&extRefId=one`);
    assert.equal(one.body.data[0].transactionId, first.body.data.transactionId);
    assert.equal((await lookup(client, `transaction_Id=${first.body.data.transactionId}&extRefId=two`)).status, 404);
  });

  test('3.2: a failed top-up is not deducted; one that may have arrived is', async () => {
    await using client = await openClient();
    await send(client, { msisdn: '254712340001', extRefId: 'failed' });
    await send(client, { msisdn: '254712340012', extRefId: 'underlivered' });
    await client.clock.advance(2_000);
    assert.equal((await lookup(client, 'extRefId=failed')).body.data[0].effectiveAmount, '0');
    assert.equal((await lookup(client, 'extRefId=underlivered')).body.data[0].effectiveAmount, '100');
    assert.equal(client.sandbox.wallets.find(v1WalletId(1))?.balance, '499900');
  });
});

describe('4.10 to 4.12 balances and catalog', () => {
  test('4.10, 2.4: one balance for each network, and no code in the envelope', async () => {
    await using client = await openClient();
    const { body } = await client.v1('GET', '/adp/balances', { shape: v1Answers.balances });
    assert.equal('code' in body, false);
    assert.deepEqual(body.data[0], {
      accountId: v1WalletId(1),
      serviceName: 'Safaricom Kenya',
      serviceCountry: 'Kenya',
      balance: 500_000,
    });
  });

  test('4.11: one balance; 404 if it is not found', async () => {
    await using client = await openClient();
    const { body } = await client.v1('GET', `/adp/balances/${v1WalletId(2)}`, { shape: v1Answers.balance });
    assert.equal(body.data.serviceName, 'Airtel Kenya');
    for (const id of ['none', 'wallet-usd']) assert.equal((await client.v1('GET', `/adp/balances/${id}`)).status, 404);
  });

  test('4.12, 2.6: services, products of a service, one product; nothing that is gone', async () => {
    await using client = await openClient();
    const services = await client.v1('GET', '/adp/product-catalog', { shape: v1Answers.services });
    assert.deepEqual(
      [services.body.code, services.body.data[0]],
      [1, { serviceId: 1, providerName: 'Safaricom Kenya' }],
    );
    const products = await client.v1('GET', '/adp/products?serviceId=1', { shape: v1Answers.products });
    assert.deepEqual(
      products.body.data.map(({ productId, amount, product_type }: Record<string, unknown>) => [
        productId,
        amount,
        product_type,
      ]),
      [
        [100, null, 'OPEN_PRODUCT'],
        [101, 20, 'FIXED_PRODUCT'],
        [102, 99, 'FIXED_PRODUCT'],
        [103, 500, 'FIXED_PRODUCT'],
      ],
    );
    const one = await client.v1('GET', '/adp/products/102', { shape: v1Answers.product });
    assert.equal(one.body.data.product_name, 'Safaricom Kenya Data 1 GB, 24 hours');
    assert.equal((await client.v1('GET', '/adp/products/199')).status, 404);
    assert.equal((await client.v1('GET', '/adp/products')).status, 400);
  });
});
