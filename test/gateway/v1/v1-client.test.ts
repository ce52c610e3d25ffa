import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../../src/core/time/clock.ts';
import { v1Policy } from '../../../src/gateway/contract/policies.ts';
import type { TransportResult } from '../../../src/gateway/transport/transport.ts';
import { makeV1Gateway } from '../../../src/gateway/v1/v1-client.ts';
import { anOrder, answer, scriptedTransport } from '../scripted-transport.ts';

const now = Date.UTC(2026, 10, 20, 9);
const credentials = { email: 'payer@pay.example', token: 'canary-token-4711' };

const order = anOrder({ callbackUrl: 'https://pay.example/hooks' });

const created = {
  transactionId: '0b9f2d0e-0000-4000-8000-000000000001',
  state: 'PENDING',
  amount: 1250.5,
  effectiveAmount: '9.75',
  currency: 'KES',
  wallet: { currency: 'USD', amount: '9.75', fxRate: 128.25 },
  provider: { transaction_id: null, reference_code: null },
};
const lookedUp = {
  ...created,
  status: false,
  msisdn: '254712345678',
  network: 'Safaricom',
  country: 'Kenya',
  TopupAmount: 1250.5,
  extRefId: order.reference,
  accountId: 'acc-1',
};

const envelope = (code: number | undefined, data?: unknown, statusCode = 200) => ({
  message: 'said the service',
  statusCode,
  ...(code === undefined ? {} : { code }),
  ...(data === undefined ? {} : { data }),
});

function setUp(...results: TransportResult[]) {
  const transport = scriptedTransport(...results);
  const gateway = makeV1Gateway(
    { transport, clock: { ...systemClock, now: () => now } },
    { credentials, policy: v1Policy(), deadlineMs: 60_000 },
  );
  return { gateway, transport };
}

const create = (result: TransportResult) => setUp(result).gateway.create({ body: '{}', idempotencyKey: 'key-1' });
const lookup = (result: TransportResult) => setUp(result).gateway.lookup(order.reference);

describe('the body of a creation in Version 1', () => {
  test('has the number without "+", the exact amount, the reference, and is ASYNC', () => {
    assert.equal(
      setUp(answer(200, {})).gateway.body(order),
      '{"msisdn":"254712345678","amount":1250.5,"extRefId":"payroll-2026-11/a 1","processingMode":"ASYNC"}',
    );
  });

  test('buys a product by its number, without an amount, and asks for the SMS', () => {
    const { gateway } = setUp(answer(200, {}));
    const product = { ...order, amount: null, productId: '4711', smsMessage: 'Thank you' };
    assert.equal(
      gateway.body(product),
      '{"msisdn":"254712345678","productId":4711,"extRefId":"payroll-2026-11/a 1","processingMode":"ASYNC","sendSMS":true}',
    );
    // The service refuses what is no number; the program does not stop over it.
    assert.match(gateway.body({ ...product, productId: 'bundle-1' }), /"productId":"bundle-1"/);
  });
});

describe('a creation in Version 1', () => {
  test('carries the two headers of section 5.2, and none of Version 2', async () => {
    const { gateway, transport } = setUp(answer(200, envelope(232, created)));
    await gateway.create({ body: '{"x":1}', idempotencyKey: 'key-1' });
    const [sent] = transport.asked;
    assert.deepEqual([sent?.method, sent?.path, sent?.body], ['POST', '/adp', '{"x":1}']);
    assert.equal(sent?.headers['x-service-email'], credentials.email);
    assert.equal(sent?.headers['x-service-token'], credentials.token);
    assert.equal(sent?.headers['idempotency-key'], undefined);
    assert.equal(sent?.headers.authorization, undefined);
  });

  for (const code of [1, 10, 232]) {
    test(`is accepted with code ${code} if the answer has the payment`, async () => {
      const outcome = await create(answer(200, envelope(code, created)));
      assert.ok(outcome.kind === 'accepted');
      assert.deepEqual(outcome.payment, {
        topupId: created.transactionId,
        serviceStatus: 'PENDING',
        state: 'open',
        unknownStatus: false,
        reference: null,
        phoneNumber: null,
        amount: { value: '1250.5', currency: 'KES' },
        cost: { value: '9.75', currency: 'USD' },
        productId: null,
        providerReference: null,
        failureCode: null,
        failureReason: null,
        createdAt: null,
        completedAt: null,
        full: true,
      });
    });
  }

  test('reads the state of a SYNC answer, not its code', async () => {
    const outcome = await create(answer(200, envelope(1, { ...created, state: 'FAILED' })));
    assert.ok(outcome.kind === 'accepted');
    assert.deepEqual([outcome.payment.state, outcome.payment.failureCode], ['failed', 'FAILED']);
  });

  test('is looked up if the service accepted it without an id', async () => {
    for (const body of [envelope(232), envelope(232, {}), envelope(1, { transactionId: 'a' })]) {
      const outcome = await create(answer(200, body));
      assert.equal(outcome.kind, 'in_doubt');
      assert.match(outcome.evidence.code, /^(232|1)$/);
    }
    assert.equal((await create(answer(500, envelope(232, created)))).kind, 'in_doubt');
  });

  test('that is declined on HTTP 500 puts one payment in doubt, and does not mean that the service is down', async () => {
    const declined = await create(answer(500, envelope(5, undefined, 500)));
    assert.ok(declined.kind === 'in_doubt' && declined.isInOrder);
    const broken = await create(answer(500, envelope(undefined, undefined, 500)));
    assert.ok(broken.kind === 'in_doubt' && !broken.isInOrder);
    for (const [status, statusCode] of [
      [404, 404],
      [404, 500],
      [200, 200],
    ] as const) {
      const lost = await create(answer(status, envelope(undefined, undefined, statusCode)));
      assert.ok(lost.kind === 'in_doubt' && !lost.isInOrder, `${status} ${statusCode}`);
    }
  });

  const table: [status: number, body: unknown, kind: string, code: string][] = [
    [403, envelope(30, undefined, 500), 'refused', '30'],
    [500, envelope(30, undefined, 500), 'refused', '30'],
    [403, envelope(20, undefined, 500), 'account_blocked', '20'],
    [403, envelope(50), 'number_blocked', '50'],
    [403, envelope(90), 'exists', '90'],
    [503, envelope(234), 'in_doubt', '234'],
    [200, envelope(234), 'in_doubt', '234'],
    [403, envelope(999), 'in_doubt', '999'],
    [403, envelope(5), 'in_doubt', '5'],
    [503, '<html>offline</html>', 'in_doubt', 'http_503'],
    [400, envelope(undefined, undefined, 400), 'refused', 'http_400'],
    [401, envelope(undefined, undefined, 401), 'account_blocked', 'http_401'],
    [200, 'OK', 'in_doubt', 'unparsable'],
    [429, '', 'throttled', 'http_429'],
  ];
  for (const [status, body, kind, code] of table) {
    test(`HTTP ${status} with ${typeof body === 'string' ? `"${body}"` : `code ${code}`} is ${kind}`, async () => {
      const outcome = await create(answer(status, body));
      assert.deepEqual([outcome.kind, outcome.evidence.code], [kind, code]);
    });
  }

  test('adopts what the transport proved, and nothing more', async () => {
    const lost = { code: 'connection_lost', message: 'lost', status: null };
    assert.equal((await create({ kind: 'not_sent', ...lost })).kind, 'not_sent');
    assert.equal((await create({ kind: 'unknown', ...lost })).kind, 'in_doubt');
  });
});

describe('a look-up in Version 1', () => {
  test('asks by extRefId, and reads the state of each record by itself', async () => {
    const other = { ...lookedUp, transactionId: 'b', state: 'SUCCESS' };
    const { gateway, transport } = setUp(
      answer(200, envelope(1, [{ ...lookedUp, state: 'FAILED', status: false }, other])),
    );
    const outcome = await gateway.lookup(order.reference);
    const url = new URL(transport.asked[0]?.path ?? '', 'http://x');
    assert.deepEqual([url.pathname, url.searchParams.get('extRefId')], ['/adp/transactions', order.reference]);
    assert.ok(outcome.kind === 'found');
    assert.deepEqual(
      outcome.payments.map(({ state, phoneNumber, reference, failureReason }) => [
        state,
        phoneNumber,
        reference,
        failureReason,
      ]),
      [
        ['failed', '+254712345678', order.reference, null],
        ['completed', '+254712345678', order.reference, null],
      ],
    );
  });

  test('finds one payment if the answer has the same one twice', async () => {
    const second = { ...lookedUp, transactionId: 'b' };
    const outcome = await lookup(answer(200, envelope(1, [lookedUp, lookedUp, second])));
    assert.ok(outcome.kind === 'found');
    assert.equal(outcome.payments.length, 2);
  });

  const failed: [word: string, code: number][] = [
    ['FAILED', 5],
    ['UNDERLIVERED', 5],
    ['TIMEOUT', 160],
    ['CANCELED', 170],
  ];
  for (const [word, code] of failed) {
    test(`${word} is failed, with the reason of the service`, async () => {
      const outcome = await lookup(answer(200, envelope(code, [{ ...lookedUp, state: word }])));
      assert.ok(outcome.kind === 'found');
      const [payment] = outcome.payments;
      assert.deepEqual(
        [payment?.state, payment?.serviceStatus, payment?.failureCode, payment?.failureReason],
        ['failed', word, word, 'said the service'],
      );
    });
  }

  test('a failed top-up costs nothing; the others cost what the service reports', async () => {
    const cost = async (state: string) => {
      const outcome = await lookup(answer(200, envelope(5, [{ ...lookedUp, state }])));
      return outcome.kind === 'found' ? outcome.payments[0]?.cost : null;
    };
    assert.deepEqual(await cost('FAILED'), { value: '0', currency: 'USD' });
    assert.deepEqual(await cost('UNDERLIVERED'), { value: '9.75', currency: 'USD' });
  });

  test('accepts numbers where the spec allows a text or a number', async () => {
    const record = { ...lookedUp, msisdn: 254712345678, wallet: { currency: 'USD', amount: 9.75, fxRate: null } };
    const outcome = await lookup(answer(200, envelope(1, [record])));
    assert.ok(outcome.kind === 'found');
    assert.deepEqual([outcome.payments[0]?.phoneNumber, outcome.payments[0]?.cost?.value], ['+254712345678', '9.75']);
  });

  test('finds nothing on 404 and on code 235, but only in the service’s own envelope', async () => {
    for (const result of [
      answer(404, envelope(undefined, undefined, 404)),
      answer(404, envelope(235, undefined, 404)),
      answer(200, envelope(235)),
      answer(200, envelope(1, [])),
    ]) {
      assert.equal((await lookup(result)).kind, 'not_found');
    }
    for (const result of [
      answer(404, '<html>'),
      answer(404, envelope(10, undefined, 404)),
      answer(404, envelope(999, undefined, 404)),
      answer(200, ''),
      answer(500, envelope(235)),
      answer(200, envelope(1, [{ ...lookedUp, extRefId: 'another' }])),
      answer(200, envelope(1, [{ ...lookedUp, msisdn: undefined }])),
      answer(200, { data: [] }),
      answer(200, { ...envelope(5, []), statusCode: 500 }),
    ]) {
      assert.equal((await lookup(result)).kind, 'unavailable');
    }
  });

  test('rejected credentials block the account, and a limit throttles it', async () => {
    assert.equal((await lookup(answer(401, envelope(undefined, undefined, 401)))).kind, 'account_blocked');
    // The customer's account is what is not found, and not the payment.
    assert.equal((await lookup(answer(404, envelope(190, undefined, 404)))).kind, 'account_blocked');
    assert.equal((await lookup(answer(429, ''))).kind, 'throttled');
  });
});

describe('the balances and the catalog of Version 1', () => {
  test('reads the account of each network, with its exact balance and no currency', async () => {
    const text = `{"message":"ok","statusCode":200,"data":[
      {"accountId":"a1","serviceName":"Safaricom","serviceCountry":"Kenya","balance":9007199254740993.10}]}`;
    const outcome = await setUp(answer(200, text)).gateway.balance();
    assert.ok(outcome.kind === 'balance');
    assert.deepEqual(outcome.balance.wallets, [
      { walletId: 'a1', name: 'Safaricom (Kenya)', currency: '', balance: '9007199254740993.1', active: true },
    ]);
    assert.equal(outcome.balance.total, null);
  });

  test('lists networks from the service catalog', async () => {
    const { gateway, transport } = setUp(answer(200, envelope(1, [{ serviceId: 7, providerName: 'Safaricom' }])));
    assert.deepEqual(await gateway.networks({ phoneNumber: order.phoneNumber }), {
      kind: 'items',
      items: [{ networkId: 7, name: 'Safaricom', countryCode: '', countryName: '', currency: null }],
    });
    assert.equal(transport.asked[0]?.path, '/adp/product-catalog');
  });

  test('lists the products of one network: fixed ones with their price, open ones without', async () => {
    const product = { productId: 1, product_name: '1 GB', service: 'Data', provider_name: 'Safaricom' };
    const { gateway, transport } = setUp(
      answer(
        200,
        envelope(1, [
          { ...product, amount: 99.5, product_type: 'FIXED_PRODUCT' },
          { ...product, productId: 2, amount: null, product_type: 'OPEN_PRODUCT' },
        ]),
      ),
    );
    const outcome = await gateway.products({ networkId: 7 });
    assert.equal(transport.asked[0]?.path, '/adp/products?serviceId=7');
    assert.ok(outcome.kind === 'items');
    assert.deepEqual(
      outcome.items.map(({ productId, amount }) => [productId, amount]),
      [
        ['1', { value: '99.5', currency: '' }],
        ['2', null],
      ],
    );
  });

  test('asks for no products without a network, and says why', async () => {
    const { gateway, transport } = setUp(answer(200, envelope(1, [])));
    const outcome = await gateway.products({});
    assert.ok(outcome.kind === 'unavailable');
    assert.deepEqual([outcome.evidence.code, transport.asked.length], ['network_needed', 0]);
  });

  test('has no list to poll', () => {
    assert.equal(setUp(answer(200, {})).gateway.list, null);
  });
});
