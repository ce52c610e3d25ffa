import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { v2Answers } from '../../../src/sandbox/v2/v2-shapes.ts';
import { freshNumber, openClient, order } from '../client.ts';

const shape = v2Answers.created;
const created = { status: 201 } as const;

describe('4.1 POST /v2/topups', () => {
  test('2.2, 4.1: answers 201 with all fields of a top-up', async () => {
    await using client = await openClient();
    const sms = { enabled: true, message: 'Thank you' };
    const metadata = { team: 'payroll', count: '12345678901234567890' };
    const body = order({
      reference: 'run/row',
      metadata,
      sms,
    });
    const { status, body: answer } = await client.v2('POST', '/v2/topups', { body, shape });
    assert.equal(status, created.status);
    const { data } = answer;
    assert.equal(data.status, 'pending');
    assert.deepEqual(data.network, { id: 1, name: 'Safaricom Kenya', country: 'Kenya', country_code: 'KE' });
    assert.deepEqual(data.amount, { value: 100, currency: 'KES' });
    assert.deepEqual(data.cost, { value: 0.7737, currency: 'USD' });
    assert.deepEqual(data.sms, sms);
    assert.deepEqual(data.metadata, metadata);
    assert.equal(data.reference, 'run/row');
    assert.deepEqual([data.product_id, data.product_name, data.provider_reference], [null, null, null]);
    assert.deepEqual([data.failure_reason, data.completed_at], [null, null]);
    assert.match(data.created_at, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  });

  test('4.1 rule 1: exactly one of amount and product_id', async () => {
    await using client = await openClient();
    const { amount, ...none } = order();
    for (const body of [none, { ...none, amount, product_id: '102' }]) {
      const { status, body: answer } = await client.v2('POST', '/v2/topups', { body });
      assert.equal(status, 400);
      assert.match(answer.error.message, /exactly one of amount and product_id/);
    }
    const { body: product } = await client.v2('POST', '/v2/topups', { body: { ...none, product_id: '102' }, shape });
    assert.equal(product.data.product_id, '102');
    assert.equal(product.data.product_name, 'Safaricom Kenya Data 1 GB, 24 hours');
    assert.equal(client.sandbox.charges().length, 1);
  });

  test('4.1 rule 2: auto prefers dollars and falls back to the local wallet, global is always dollars, local is local', async () => {
    await using client = await openClient({ balances: { 'wallet-usd': '1' } });
    const pay = async (fields: object) => {
      const { body, status } = await client.v2('POST', '/v2/topups', { body: order(fields), shape });
      return status === 201 ? body.data.wallet : body.error.code;
    };
    const usd = { id: 'wallet-usd', type: 'global', currency: 'USD' };
    const kes = { id: 'wallet-kes', type: 'local', currency: 'KES' };
    assert.deepEqual(await pay({}), { ...usd, strategy: 'AUTO_USD_PRIMARY' });
    assert.deepEqual(await pay({ wallet_mode: 'local' }), { ...kes, strategy: 'LOCAL_EXPLICIT_SELECTION' });
    assert.deepEqual(await pay({ amount: { value: 500, currency: 'KES' } }), { ...kes, strategy: 'AUTO_USD_PRIMARY' });
    assert.equal(await pay({ amount: { value: 500, currency: 'KES' }, wallet_mode: 'global' }), 'INSUFFICIENT_BALANCE');
  });

  test('4.1 rule 3, 7.1: a local wallet never pays for another country', async () => {
    await using client = await openClient();
    const uganda = { phone_number: '+256772123456', network_id: 4, amount: { value: 1000, currency: 'UGX' } };
    const local = await client.v2('POST', '/v2/topups', { body: { ...uganda, wallet_mode: 'local' } });
    assert.equal(local.body.error.code, 'WALLET_TYPE_UNAVAILABLE');
    const auto = await client.v2('POST', '/v2/topups', { body: uganda, shape });
    assert.equal(auto.body.data.wallet.id, 'wallet-usd');
  });

  test('4.1 rule 4: the cached answer is repeated for 24 hours; then the wallet is charged again', async () => {
    await using client = await openClient();
    const body = order({ reference: 'once' });
    const headers = { 'idempotency-key': 'key-1' };
    const first = await client.v2('POST', '/v2/topups', { body, headers, shape });
    await client.clock.advance(24 * 3_600_000 - 1);
    const again = await client.v2('POST', '/v2/topups', { body, headers, shape });
    assert.equal(again.text, first.text);
    assert.equal(client.sandbox.charges().length, 1);
    await client.clock.advance(1);
    const later = await client.v2('POST', '/v2/topups', { body, headers, shape });
    assert.notEqual(later.body.data.id, first.body.data.id);
    assert.equal(client.sandbox.charges().length, 2);
  });

  test('4.1 rule 4: a refusal is not remembered; another company has its own keys', async () => {
    await using client = await openClient();
    const headers = { 'idempotency-key': 'key-2' };
    const refused = await client.v2('POST', '/v2/topups', { body: order({ network_id: 9999 }), headers });
    assert.equal(refused.body.error.code, 'NETWORK_NOT_FOUND');
    await client.v2('POST', '/v2/topups', { body: order(), headers, shape });
    await client.v2('POST', '/v2/topups', { body: order(), headers, key: 'other-company-key', shape });
    assert.equal(client.sandbox.charges().length, 2);
  });

  test('4.1 rule 4: an idempotency key belongs to the company, for all of its API keys', async () => {
    await using client = await openClient();
    const headers = { 'idempotency-key': 'key-3' };
    const body = order();
    const first = await client.v2('POST', '/v2/topups', { body, headers, shape });
    const again = await client.v2('POST', '/v2/topups', { body, headers, key: 'sandbox-write-only-key', shape });
    assert.equal(again.text, first.text);
    assert.equal(client.sandbox.charges().length, 1);
  });

  test('4.1: an optional field given as null counts as absent; metadata is kept unchanged', async () => {
    await using client = await openClient();
    const none = { product_id: null, sms: null, reference: null, callback_url: null, wallet_mode: null };
    const { status, body } = await client.v2('POST', '/v2/topups', {
      body: order({ ...none, metadata: { team: null } }),
      shape,
    });
    assert.equal(status, 201);
    assert.deepEqual([body.data.metadata, body.data.wallet.strategy], [{ team: null }, 'AUTO_USD_PRIMARY']);
    const product = order({ amount: null, product_id: '102', sms: { enabled: true, message: null }, metadata: null });
    assert.equal((await client.v2('POST', '/v2/topups', { body: product, shape })).status, 201);
    const nothing = await client.v2('POST', '/v2/topups', { body: order({ amount: null }) });
    assert.match(nothing.body.error.message, /exactly one of amount and product_id/);
    const nameless = await client.v2('POST', '/v2/topups', { body: order({ phone_number: null }) });
    assert.match(nameless.body.error.message, /^phone_number is missing\.$/);
  });

  test('4.1: a number counts by its value, however it is written; in a wrong field it is called a number', async () => {
    await using client = await openClient();
    const write = (network: string) =>
      `{"phone_number":"${freshNumber()}","network_id":${network},"amount":{"value":1e2,"currency":"KES"}}`;
    for (const network of ['1', '1.0', '10e-1']) {
      const { body } = await client.v2('POST', '/v2/topups', { body: write(network), shape });
      assert.deepEqual([body.data?.network.id, body.data?.amount.value], [1, 100], network);
    }
    for (const [body, message] of [
      ['5', /^the body must be an object\.$/],
      [JSON.stringify(order({ sms: 5 })), /^sms must be an object\.$/],
      [JSON.stringify(order({ amount: 5 })), /^amount must be an object\.$/],
      [JSON.stringify(order({ metadata: 5 })), /^metadata must be an object\.$/],
      [JSON.stringify(order({ reference: 5 })), /^reference must be a string\.$/],
      [write('1.5'), /^network_id must be a whole number\.$/],
    ] as const) {
      const answer = await client.v2('POST', '/v2/topups', { body });
      assert.match(answer.body.error.message, message);
    }
  });

  test('4.1: Content-Type must be application/json', async () => {
    await using client = await openClient();
    const send = async (type: string) =>
      (await client.v2('POST', '/v2/topups', { body: order(), headers: { 'content-type': type } })).status;
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])
      assert.equal(await send(type), 415, type);
    for (const type of ['application/json; charset=utf-8', 'Application/JSON'])
      assert.equal(await send(type), 201, type);
    assert.equal(client.sandbox.charges().length, 2);
  });

  test('2.1: faults of the request itself are reported in the envelope, too', async () => {
    await using client = await openClient();
    const large = await client.v2('POST', '/v2/topups', { body: order({ reference: 'x'.repeat(70_000) }) });
    assert.deepEqual([large.status, large.body.error.code], [413, 'PAYLOAD_TOO_LARGE']);
    for (const path of ['/v2/topups/%zz', '/v2/balance/%E0%A4%A']) {
      const malformed = await client.v2('GET', path);
      assert.deepEqual([malformed.status, malformed.body.error.code], [400, 'VALIDATION_ERROR'], path);
    }
    const nowhere = await client.v2('GET', '/v2/%');
    assert.deepEqual([nowhere.status, nowhere.body.error.code], [404, 'NOT_FOUND']);
    const ofV1 = await client.v1('POST', '/adp', { body: { msisdn: 'x'.repeat(70_000) } });
    assert.deepEqual([ofV1.status, ofV1.body.statusCode], [413, 413]);
    assert.equal((await client.v1('GET', '/adp/products/%zz')).body.statusCode, 400);
  });

  test('8.1: every answer of Version 2 carries the headers of its limit, also a refusal', async () => {
    await using client = await openClient();
    const remaining = async (method: string, path: string, options: object) => {
      const { headers, status } = await client.v2(method, path, options);
      assert.ok(Number(headers.get('x-ratelimit-reset')) > 0, `${method} ${path}`);
      return [status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')].map(Number);
    };
    const readOnly = { body: order(), key: 'sandbox-read-only-key' };
    assert.deepEqual(await remaining('POST', '/v2/topups', readOnly), [403, 60, 59]);
    assert.deepEqual(await remaining('POST', '/v2/topups', { body: order() }), [201, 60, 58]);
    assert.deepEqual(await remaining('GET', '/v2/topups', { key: null }), [401, 300, 299]);
    assert.deepEqual(await remaining('GET', '/v2/balance', { key: 'wrong' }), [401, 300, 298]);
    assert.deepEqual(await remaining('GET', '/v2/nothing', {}), [404, 300, 299]);
    assert.deepEqual(await remaining('POST', '/v2/topups', { body: '{' }), [400, 60, 57]);
    const token = { key: 'wrong', body: {} };
    assert.deepEqual(await remaining('POST', '/enterprise/webhooks', token), [401, 120, 119]);
  });

  test('8.2: an idempotency key has 1 to 255 characters', async () => {
    await using client = await openClient();
    const send = (key: string) =>
      client.v2('POST', '/v2/topups', { body: order(), headers: { 'idempotency-key': key } });
    assert.equal((await send('k'.repeat(255))).status, 201);
    assert.equal((await send('k'.repeat(256))).status, 400);
  });

  test('4.1 rule 5: without a key the same number, network and amount are one top-up for five minutes', async () => {
    await using client = await openClient();
    const body = order();
    const first = await client.v2('POST', '/v2/topups', { body, shape });
    await client.clock.advance(5 * 60_000 - 1);
    const again = await client.v2('POST', '/v2/topups', { body, shape });
    assert.equal(again.body.data.id, first.body.data.id);
    const other = await client.v2('POST', '/v2/topups', {
      body: { ...body, amount: { value: 101, currency: 'KES' } },
      shape,
    });
    assert.notEqual(other.body.data.id, first.body.data.id);
    await client.clock.advance(1);
    const later = await client.v2('POST', '/v2/topups', { body, shape });
    assert.notEqual(later.body.data.id, first.body.data.id);
    assert.equal(client.sandbox.charges().length, 3);
  });

  const refusals: [string, object, number, string][] = [
    ['a number that is none', { phone_number: '12345' }, 400, 'INVALID_PHONE_NUMBER'],
    ['a number of another country than its network', { phone_number: '+256772123456' }, 400, 'INVALID_PHONE_NUMBER'],
    ['an unknown network', { network_id: 9999 }, 404, 'NETWORK_NOT_FOUND'],
    ['an amount of nothing', { amount: { value: 0, currency: 'KES' } }, 400, 'VALIDATION_ERROR'],
    ['an amount below the least', { amount: { value: 4.99, currency: 'KES' } }, 400, 'AMOUNT_TOO_SMALL'],
    ['an amount above the most', { amount: { value: 10000.01, currency: 'KES' } }, 400, 'AMOUNT_TOO_LARGE'],
    ['too many decimals', { amount: { value: 100.001, currency: 'KES' } }, 400, 'INVALID_AMOUNT'],
    ['a foreign currency', { amount: { value: 100, currency: 'USD' } }, 400, 'CURRENCY_MISMATCH'],
    ['a product of another network', { amount: undefined, product_id: '1201' }, 400, 'PRODUCT_NETWORK_MISMATCH'],
    ['a product that is no longer sold', { amount: undefined, product_id: '199' }, 404, 'PRODUCT_NOT_FOUND'],
    ['a callback in the clear to elsewhere', { callback_url: 'http://example.com/hook' }, 400, 'VALIDATION_ERROR'],
    ['an unknown wallet mode', { wallet_mode: 'any' }, 400, 'VALIDATION_ERROR'],
  ];
  for (const [what, fields, status, code] of refusals) {
    test(`4.1, 7.1: refuses ${what} with ${code}, and charges nothing`, async () => {
      await using client = await openClient();
      const answer = await client.v2('POST', '/v2/topups', { body: order(fields) });
      assert.deepEqual([answer.status, answer.body.error.code, answer.body.error.statusCode], [status, code, status]);
      assert.deepEqual(client.sandbox.charges(), []);
    });
  }

  test('4.1: a body that is not JSON is refused', async () => {
    await using client = await openClient();
    const { status, body } = await client.v2('POST', '/v2/topups', { body: '{"phone_number":' });
    assert.deepEqual([status, body.error.code], [400, 'VALIDATION_ERROR']);
  });

  test('5.1: a missing or wrong key is 401, a missing permission 403', async () => {
    await using client = await openClient();
    for (const key of [null, 'nobody']) {
      assert.equal((await client.v2('POST', '/v2/topups', { body: order(), key })).status, 401);
    }
    assert.equal((await client.v2('POST', '/v2/topups', { body: order(), key: 'sandbox-read-only-key' })).status, 403);
    assert.equal((await client.v2('GET', '/v2/topups', { key: 'sandbox-write-only-key' })).status, 403);
    assert.equal((await client.v2('GET', '/v2/balance', { key: 'sandbox-write-only-key' })).status, 403);
  });

  test('5.1: a key can be revoked at any time, and works again once it is restored', async () => {
    await using client = await openClient();
    const act = async (key: string, what: string) =>
      (await fetch(`${client.url}/_sandbox/keys/${key}/${what}`, { method: 'POST' })).status;
    const statuses = async () => [
      (await client.v2('POST', '/v2/topups', { body: order() })).status,
      (await client.v2('GET', '/v2/balance')).status,
      (await client.v2('GET', '/v2/balance', { key: 'sandbox-read-only-key' })).status,
    ];
    for (let times = 0; times < 2; times++) assert.equal(await act('sandbox-key', 'revoke'), 200);
    assert.deepEqual(await statuses(), [401, 401, 200]);
    assert.equal(await act('sandbox-key', 'restore'), 200);
    assert.deepEqual(await statuses(), [201, 200, 200]);
    assert.equal(await act('nobody', 'revoke'), 404);
  });

  test('3.1, 4.3: a top-up goes from pending over processing to completed, and then names its provider', async () => {
    await using client = await openClient();
    const { body } = await client.v2('POST', '/v2/topups', { body: order(), shape });
    const read = async () =>
      (await client.v2('GET', `/v2/topups/${body.data.id}`, { shape: v2Answers.single })).body.data;
    assert.equal((await read()).status, 'pending');
    await client.clock.advance(600);
    assert.deepEqual([(await read()).status, (await read()).provider_reference], ['processing', null]);
    await client.clock.advance(1_000);
    const done = await read();
    assert.equal(done.status, 'completed');
    assert.match(done.provider_reference, /^OP/);
    assert.ok(Date.parse(done.completed_at) > Date.parse(done.created_at));
  });

  test('2.2: a failed top-up has a reason, costs 0, and its money is returned', async () => {
    await using client = await openClient();
    const { body } = await client.v2('POST', '/v2/topups', { body: order({ phone_number: '+254712340001' }), shape });
    await client.clock.advance(2_000);
    const { body: read } = await client.v2('GET', `/v2/topups/${body.data.id}`, { shape: v2Answers.single });
    assert.equal(read.data.status, 'failed');
    assert.deepEqual(read.data.cost, { value: 0, currency: 'USD' });
    assert.deepEqual([read.data.completed_at, read.data.failure_reason], [null, 'The operator declined the top-up.']);
    assert.equal(client.sandbox.wallets.find('wallet-usd')?.balance, '10000');
    assert.deepEqual(
      client.sandbox.charges().map(({ live }) => live),
      [false],
    );
  });

  test('4.3: a top-up of another company is not found', async () => {
    await using client = await openClient();
    const { body } = await client.v2('POST', '/v2/topups', { body: order(), shape });
    assert.equal((await client.v2('GET', `/v2/topups/${body.data.id}`, { key: 'other-company-key' })).status, 404);
    assert.equal((await client.v2('GET', '/v2/topups/none')).status, 404);
  });

  test('a number with more digits than a float holds comes back unchanged', async () => {
    await using client = await openClient();
    const body = `{"phone_number":"${freshNumber()}","network_id":1,"amount":{"value":100.10,"currency":"KES"},"metadata":{"exact":0.12345678901234567890123}}`;
    const { text } = await client.v2('POST', '/v2/topups', { body });
    assert.match(text, /"exact":0\.12345678901234567890123/);
    assert.match(text, /"value":100\.1,/);
  });
});
