import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../../src/core/time/clock.ts';
import type { RateHeaders, RequestClass } from '../../../src/gateway/contract/gateway.ts';
import { v2Policy } from '../../../src/gateway/contract/policies.ts';
import type { Transport, TransportResult } from '../../../src/gateway/transport/transport.ts';
import { makeV2Gateway } from '../../../src/gateway/v2/v2-client.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';
import { anOrder, answer, scriptedTransport } from '../scripted-transport.ts';

const apiKey = 'canary-key-4711';
const now = Date.UTC(2026, 10, 20, 9);

const order = anOrder();

/** A top-up as the service answers it; amounts are written into the text, so that no binary float touches them. */
function topup(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: '0b9f2d0e-0000-4000-8000-000000000001',
    status: 'pending',
    phone_number: order.phoneNumber,
    network: { id: 7, name: 'Safaricom', country: 'Kenya', country_code: 'KE' },
    amount: { value: 1250.5, currency: 'KES' },
    cost: { value: 9.75, currency: 'USD' },
    wallet: { id: 'w1', type: 'global', currency: 'USD', strategy: 'AUTO_USD_PRIMARY' },
    product_id: null,
    product_name: null,
    reference: order.reference,
    provider_reference: null,
    failure_reason: null,
    metadata: {},
    created_at: '2026-11-20T09:00:00.000Z',
    completed_at: null,
    ...fields,
  };
}

const success = (data: unknown, pagination?: unknown) => ({
  success: true,
  data,
  meta: { request_id: 'req-1', timestamp: '2026-11-20T09:00:00.000Z', ...(pagination ? { pagination } : {}) },
});
const failure = (code: string, statusCode: number, message = 'no') => ({
  success: false,
  error: { code, message, statusCode },
});

function setUp(...results: TransportResult[]) {
  const transport = scriptedTransport(...results);
  const rates: [RequestClass, RateHeaders][] = [];
  const gateway = makeV2Gateway(
    { transport, clock: { ...systemClock, now: () => now, monotonic: () => 0 }, onRate: (...rate) => rates.push(rate) },
    { credentials: { apiKey }, walletMode: 'auto', policy: v2Policy(60_000), deadlineMs: 60_000 },
  );
  return { gateway, transport, rates };
}

const create = (result: TransportResult) => setUp(result).gateway.create({ body: '{}', idempotencyKey: 'key-1' });

test('two API keys have different digests, which do not reveal them', () => {
  const scopeOf = (key: string) =>
    makeV2Gateway(
      { transport: scriptedTransport(), clock: systemClock },
      { credentials: { apiKey: key }, walletMode: 'auto', policy: v2Policy(60_000), deadlineMs: 60_000 },
    ).keyScope;
  assert.match(scopeOf(apiKey) ?? '', /^[0-9a-f]{12}$/);
  assert.equal(scopeOf(apiKey), setUp().gateway.keyScope);
  assert.notEqual(scopeOf(apiKey), scopeOf(`${apiKey}2`));
});

describe('the body of a creation in Version 2', () => {
  test('has the fields of section 4.1, exact amounts, and nothing that was not asked for', () => {
    assert.equal(
      setUp(answer(200, {})).gateway.body({ ...order, amount: { value: '9007199254740993.10', currency: 'KES' } }),
      '{"phone_number":"+254712345678","network_id":7,"amount":{"value":9007199254740993.1,"currency":"KES"},' +
        '"reference":"payroll-2026-11/a 1","wallet_mode":"auto"}',
    );
  });

  test('buys a product without an amount, and carries the SMS and the callback', () => {
    const full = {
      ...order,
      amount: null,
      productId: 'bundle-1',
      smsMessage: 'Thank you',
      callbackUrl: 'https://pay.example/hooks',
    };
    assert.deepEqual(JSON.parse(setUp(answer(200, {})).gateway.body(full)), {
      phone_number: order.phoneNumber,
      network_id: 7,
      product_id: 'bundle-1',
      sms: { enabled: true, message: 'Thank you' },
      reference: order.reference,
      callback_url: 'https://pay.example/hooks',
      wallet_mode: 'auto',
    });
  });

  test('is the same text for the same payment', () => {
    const { gateway } = setUp(answer(200, {}));
    assert.equal(gateway.body(order), gateway.body({ ...order, amount: { value: '1250.5', currency: 'KES' } }));
  });
});

describe('a creation in Version 2', () => {
  test('sends the given bytes, under the key, with the credentials of section 5.1', async () => {
    const { gateway, transport } = setUp(answer(201, success(topup())));
    await gateway.create({ body: gateway.body(order), idempotencyKey: 'key-1' });
    const [sent] = transport.asked;
    assert.deepEqual(
      [sent?.method, sent?.path, sent?.body, sent?.deadlineMs],
      ['POST', '/v2/topups', gateway.body(order), 60_000],
    );
    assert.equal(sent?.headers['idempotency-key'], 'key-1');
    assert.equal(sent?.headers.authorization, `Bearer ${apiKey}`);
    assert.equal(sent?.headers['content-type'], 'application/json');
  });

  test('is accepted if the answer has the specified shape, with every amount exact', async () => {
    const text = JSON.stringify(success(topup({ surprise: [1] }))).replace('1250.5', '1250.5000000000000001');
    const outcome = await create(answer(201, text));
    assert.ok(outcome.kind === 'accepted');
    assert.deepEqual(outcome.payment, {
      topupId: '0b9f2d0e-0000-4000-8000-000000000001',
      serviceStatus: 'pending',
      state: 'open',
      unknownStatus: false,
      reference: order.reference,
      phoneNumber: order.phoneNumber,
      amount: { value: '1250.5000000000000001', currency: 'KES' },
      cost: { value: '9.75', currency: 'USD' },
      productId: null,
      providerReference: null,
      failureCode: null,
      failureReason: null,
      createdAt: now,
      completedAt: null,
      full: true,
    });
    assert.deepEqual(outcome.evidence, { httpStatus: 201, code: 'ok', message: '', requestId: 'req-1' });
  });

  test('cuts texts for people, and rejects ids and statuses that are too long', async () => {
    const long = 'x'.repeat(100_000);
    const words = topup({ status: 'failed', failure_reason: long, provider_reference: long });
    const envelope = { ...success(words), meta: { request_id: long } };
    const outcome = await create(answer(201, envelope));
    assert.ok(outcome.kind === 'accepted');
    const { failureReason, providerReference } = outcome.payment;
    for (const text of [failureReason, providerReference, outcome.evidence.requestId]) assert.equal(text?.length, 300);
    for (const fields of [{ id: long }, { status: long }])
      assert.equal((await create(answer(201, success(topup(fields))))).kind, 'in_doubt');
  });

  test('is accepted in any state, also one that the spec does not list', async () => {
    const failed = await create(answer(200, success(topup({ status: 'failed', failure_reason: 'Declined' }))));
    const strange = await create(answer(201, success(topup({ status: 'held' }))));
    assert.ok(failed.kind === 'accepted' && strange.kind === 'accepted');
    assert.deepEqual([failed.payment.state, failed.payment.failureReason], ['failed', 'Declined']);
    assert.deepEqual([strange.payment.state, strange.payment.unknownStatus], ['open', true]);
  });

  test('may lack every field that nothing depends on', async () => {
    const { id, status, phone_number, amount, reference } = topup();
    const bare = await create(answer(201, success({ id, status, phone_number, amount, reference })));
    const odd = { provider_reference: 7, failure_reason: '', created_at: 'now', completed_at: 7 };
    const strange = await create(answer(201, success(topup({ ...odd, cost: null }))));
    assert.ok(bare.kind === 'accepted' && strange.kind === 'accepted');
    assert.deepEqual(strange.payment, bare.payment);
    assert.deepEqual([bare.payment.cost, bare.payment.productId, bare.payment.createdAt], [null, null, null]);
  });

  const unreadable: [what: string, body: unknown][] = [
    ['nothing', ''],
    ['half a JSON', '{"success":true,"data":{"id":"a"'],
    ['an HTML page', '<html>OK</html>'],
    ['no data', { success: true }],
    ['another success', { ...success(topup()), success: 'true' }],
    ['no id', success(topup({ id: undefined }))],
    ['no status', success(topup({ status: null }))],
    ['no number', success(topup({ phone_number: undefined }))],
    ['no reference', success(topup({ reference: null }))],
    ['an empty reference', success(topup({ reference: '' }))],
    ['a reference that is no text', success(topup({ reference: 7 }))],
    ['a product that is no text', success(topup({ product_id: 7 }))],
    ['no amount', success(topup({ amount: undefined }))],
    ['an amount in words', success(topup({ amount: { value: 'ten', currency: 'KES' } }))],
    ['an amount in no currency', success(topup({ amount: { value: 10, currency: '' } }))],
    ['a cost in words', success(topup({ cost: { value: 'ten', currency: 'USD' } }))],
    ['a cost that is no object', success(topup({ cost: 9.75 }))],
    ['a list', success([topup()])],
  ];
  for (const [what, body] of unreadable) {
    test(`is in doubt if a 201 has ${what}`, async () => {
      const outcome = await create(answer(201, body));
      assert.deepEqual([outcome.kind, outcome.evidence.code], ['in_doubt', 'unparsable']);
    });
  }

  test('is refused with the reason of the service, without numbers and secrets, cut to one short line', async () => {
    const message = `Number +254712345678\n is not valid ${apiKey} ${'x'.repeat(900)}`;
    const { kind, evidence } = await create(answer(400, failure('INVALID_PHONE_NUMBER', 400, message)));
    assert.equal(kind, 'refused');
    assert.equal(evidence.code, 'INVALID_PHONE_NUMBER');
    assert.match(evidence.message, /^Number \[number\] is not valid \[secret\] x+$/);
    assert.equal(evidence.message.length, 300);
  });

  test('waits as long as a 429 asks: seconds, a date, or a minute if it gives no time', async () => {
    const waits: (number | null)[] = [];
    for (const header of [
      '7',
      '2592000',
      '9'.repeat(400),
      new Date(now + 90_000).toUTCString(),
      undefined,
      'soon',
      '-5',
      ['7', '8'],
      // No wait at all would be answered with the next 429.
      '0',
      new Date(now - 90_000).toUTCString(),
    ]) {
      const outcome = await create(answer(429, failure('RATE_LIMITED', 429), { 'retry-after': header }));
      waits.push(outcome.kind === 'throttled' ? outcome.retryAfterMs : null);
    }
    assert.deepEqual(waits, [
      7_000,
      30 * 86_400_000,
      Number.MAX_SAFE_INTEGER,
      90_000,
      60_000,
      60_000,
      60_000,
      60_000,
      1_000,
      1_000,
    ]);
  });

  test('waits until the date of a 429 by the service’s clock, however different from ours', async () => {
    for (const skewMs of [-3 * 3_600_000, 3 * 3_600_000]) {
      const headers = {
        'retry-after': new Date(now + skewMs + 90_000).toUTCString(),
        date: new Date(now + skewMs).toUTCString(),
      };
      const outcome = await create(answer(429, failure('RATE_LIMITED', 429), headers));
      assert.equal(outcome.kind === 'throttled' && outcome.retryAfterMs, 90_000);
    }
  });

  test('distinguishes lack of money and rejected credentials from refusals', async () => {
    const money = await create(answer(402, failure('INSUFFICIENT_BALANCE', 402)));
    const key = await create(answer(401, 'Unauthorized'));
    assert.ok(money.kind === 'account_blocked' && key.kind === 'account_blocked');
    assert.deepEqual([money.reason, key.reason], ['insufficient_balance', 'credentials_rejected']);
    assert.equal(key.evidence.code, 'http_401');
    assert.match(
      key.evidence.message,
      /perhaps a proxy or a firewall sent it/,
      'whoever only corrects the key looks in vain',
    );
  });

  test('is in doubt on an unknown code, and on a broken service', async () => {
    for (const result of [answer(400, failure('E_1234', 400)), answer(500, ''), answer(503, '<html>')]) {
      assert.equal((await create(result)).kind, 'in_doubt');
    }
  });

  test('is in doubt if a refusal also shows a payment, whatever its code and status', async () => {
    for (const [status, code] of [
      [400, 'INVALID_PHONE_NUMBER'],
      [200, 'NETWORK_NOT_FOUND'],
      [402, 'INSUFFICIENT_BALANCE'],
      [401, 'UNAUTHORIZED'],
      [429, 'RATE_LIMITED'],
    ] as const) {
      const refusal = failure(code, status);
      assert.equal((await create(answer(status, { ...refusal, data: topup() }))).kind, 'in_doubt', code);
      assert.equal((await create(answer(status, { ...refusal, data: { id: 't-1' } }))).kind, 'in_doubt', code);
      assert.notEqual((await create(answer(status, { ...refusal, data: null }))).kind, 'in_doubt', code);
    }
  });

  test('in doubt shows whether the service itself answered, and what is wrong, or something else did', async () => {
    const isInOrder = async (result: TransportResult) => {
      const outcome = await create(result);
      assert.ok(outcome.kind === 'in_doubt');
      return outcome.isInOrder ?? false;
    };
    assert.ok(await isInOrder(answer(400, failure('E_1234', 400))));
    assert.ok(await isInOrder(answer(200, failure('E_1234', 400))));
    for (const result of [
      answer(404, '<html>'),
      answer(405, { message: 'Cannot POST /v2/topups' }),
      answer(200, '<html>'),
      answer(201, success({ id: 't-1' })),
      answer(500, failure('INTERNAL_ERROR', 500)),
      answer(503, failure('E_1234', 503)),
      { kind: 'unknown', code: 'redirect_refused', message: 'no', status: 302 } as const,
      { kind: 'unknown', code: 'connection_lost', message: 'no', status: 201 } as const,
    ]) {
      assert.equal(await isInOrder(result), false, JSON.stringify(result));
    }
  });

  test('adopts what the transport proved, and nothing more', async () => {
    const lost = { code: 'timeout', message: 'no answer', status: null };
    const notSent = await create({ kind: 'not_sent', ...lost });
    const unknown = await create({ kind: 'unknown', ...lost });
    assert.deepEqual([notSent.kind, unknown.kind, unknown.evidence.code], ['not_sent', 'in_doubt', 'timeout']);
  });

  test('reports the rate-limit headers of every answer, in milliseconds', async () => {
    const headers = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1795163400' };
    const { gateway, rates } = setUp(
      answer(429, '', headers),
      answer(200, '', { ...headers, 'x-ratelimit-reset': '1795163400123' }),
      answer(200, '', { ...headers, 'x-ratelimit-limit': 'many' }),
      answer(200, '', { ...headers, 'x-ratelimit-limit': '0' }),
      answer(200, '', { ...headers, 'x-ratelimit-limit': ['60', '61'] }),
      ...Object.keys(headers).map((name) => answer(200, '', { ...headers, [name]: undefined })),
    );
    await gateway.create({ body: '{}', idempotencyKey: 'k' });
    await gateway.balance();
    for (let count = 0; count < 6; count++) await gateway.lookup('r');
    assert.deepEqual(rates, [
      ['creation', { limit: 60, remaining: 0, resetAt: 1_795_163_400_000, tookMs: 0 }],
      ['balance', { limit: 60, remaining: 0, resetAt: 1_795_163_400_123, tookMs: 0 }],
    ]);
  });

  test('also reports how long the answer took since the request was written, and the time in it', async () => {
    const headers = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '9', 'x-ratelimit-reset': '1795163400' };
    const date = 'Fri, 20 Nov 2026 09:00:00 GMT';
    const clock = makeVirtualClock();
    const rates: RateHeaders[] = [];
    const transport: Transport = {
      async send({ beforeWrite }, read) {
        // For a connection it is waited, and nothing is on the wire meanwhile.
        await clock.sleep(5_000);
        beforeWrite?.();
        await clock.sleep(40);
        return read(answer(200, success([]), { ...headers, date }));
      },
      close: async () => undefined,
    };
    const gateway = makeV2Gateway(
      { transport, clock, onRate: (_, rate) => rates.push(rate) },
      { credentials: { apiKey }, walletMode: 'auto', policy: v2Policy(60_000), deadlineMs: 60_000 },
    );
    await clock.drive(gateway.create({ body: '{}', idempotencyKey: 'k' }));
    await clock.drive(gateway.lookup('r'));
    const told = { limit: 60, remaining: 9, resetAt: 1_795_163_400_000, date: Date.parse(date), tookMs: 40 };
    assert.deepEqual(rates, [told, told]);
  });
});

describe('the service’s time', () => {
  test('is what the last answer showed, and advances while the machine is up, suspended or not', async () => {
    let uptime = 5_000;
    const date = new Date(1_795_163_200_000).toUTCString();
    const answers = [answer(200, success([]), { date }), answer(500, ''), answer(200, success([]), { date: 'soon' })];
    const transport: Transport = {
      send: async (_, read) => read(answers.shift() as TransportResult),
      close: async () => undefined,
    };
    const gateway = makeV2Gateway(
      { transport, clock: { ...systemClock, uptime: () => uptime } },
      { credentials: { apiKey }, walletMode: 'auto', policy: v2Policy(60_000), deadlineMs: 60_000 },
    );
    assert.equal(gateway.serviceTime(), null);
    await gateway.lookup('r');
    assert.equal(gateway.serviceTime(), 1_795_163_200_000);
    uptime += 700;
    for (const answered of ['without a date', 'with none that can be read']) {
      await gateway.lookup('r');
      assert.equal(gateway.serviceTime(), 1_795_163_200_700, answered);
    }
  });
});

const page = (total: number, hasNext = false) => ({
  page: 1,
  per_page: 100,
  total,
  total_pages: 1,
  has_next: hasNext,
  has_prev: false,
});

describe('a look-up in Version 2', () => {
  const lookup = (result: TransportResult) => setUp(result).gateway.lookup(order.reference);

  test('asks the list for the exact reference', async () => {
    const { gateway, transport } = setUp(answer(200, success([], page(0))));
    await gateway.lookup(order.reference);
    const url = new URL(transport.asked[0]?.path ?? '', 'http://x');
    assert.deepEqual([url.pathname, url.searchParams.get('reference')], ['/v2/topups', order.reference]);
  });

  test('finds list entries, which have no reasons', async () => {
    const outcome = await lookup(answer(200, success([topup({ status: 'failed' })], page(1))));
    assert.ok(outcome.kind === 'found');
    assert.deepEqual(
      outcome.payments.map(({ state, full }) => [state, full]),
      [['failed', false]],
    );
  });

  test('finds no definite result if an entry that may have the reference is unreadable: it may be the paid one', async () => {
    const failed = topup({ status: 'failed' });
    const costless = { value: null, currency: 'USD' };
    for (const strange of [topup({ cost: costless }), topup({ cost: costless, reference: null }), null, {}])
      assert.equal((await lookup(answer(200, success([failed, strange], page(2))))).kind, 'unavailable');
    const others = topup({ cost: costless, reference: 'of another program' });
    assert.equal((await lookup(answer(200, success([failed, others], page(2))))).kind, 'found');
  });

  test('finds nothing only if the list is complete and empty', async () => {
    assert.equal((await lookup(answer(200, success([], page(0))))).kind, 'not_found');
    for (const result of [
      answer(404, '<html>'),
      answer(200, ''),
      answer(200, { success: true, data: [] }),
      answer(200, success([], { ...page(0), total: '0' })),
      answer(200, success([], { ...page(0), has_next: 'no' })),
      answer(200, success({}, page(0))),
      answer(200, { ...success([], page(0)), success: false }),
      answer(500, ''),
      // One that counts what it does not show has something, perhaps ours.
      answer(200, success([], page(1))),
      answer(200, success([], page(0, true))),
      // A service that ignores the filter says nothing about our reference.
      answer(200, success([topup({ reference: 'another' })], page(1))),
      answer(200, success([{ id: 1 }], page(1))),
      // Nor does one that says that it has more than it shows.
      answer(200, success([], page(1))),
      answer(200, success([], page(0, true))),
    ]) {
      assert.equal((await lookup(result)).kind, 'unavailable');
    }
  });

  test('trusts a list of only failed payments only if the list is complete', async () => {
    const failed = topup({ status: 'failed' });
    assert.equal((await lookup(answer(200, success([failed], page(2))))).kind, 'unavailable');
    assert.equal((await lookup(answer(200, success([failed], page(1, true))))).kind, 'unavailable');
    assert.equal((await lookup(answer(200, success([failed, topup({ id: 't-2' })], page(3))))).kind, 'found');
  });

  test('finds one payment if the list has the same one twice, and two if they differ', async () => {
    const found = async (...entries: unknown[]) => {
      const outcome = await lookup(answer(200, success(entries, page(entries.length))));
      return outcome.kind === 'found' && outcome.payments.length;
    };
    assert.equal(await found(topup(), topup()), 1);
    assert.equal(await found(topup(), topup({ id: 't-2' })), 2);
    assert.equal(await found(topup(), topup({ amount: { value: 1, currency: 'KES' } })), 2);
  });

  test('reads a payment that the list shows without its reference, to learn whose it is', async () => {
    const listed = (...entries: unknown[]) => answer(200, success(entries, page(entries.length)));
    const nameless = topup({ id: 't-2', reference: undefined });
    const read = async (...results: TransportResult[]) => {
      const { gateway, transport } = setUp(...results);
      const outcome = await gateway.lookup(order.reference);
      const ids = outcome.kind === 'found' ? outcome.payments.map(({ topupId }) => topupId) : outcome.evidence.code;
      return [outcome.kind, ids, transport.asked.length];
    };
    const single = (reference: unknown) => answer(200, success(topup({ id: 't-2', reference })));
    assert.deepEqual(await read(listed(nameless), single(order.reference)), ['found', ['t-2'], 2]);
    const failed = topup({ id: 't-1', status: 'failed' });
    assert.deepEqual(await read(listed(failed, nameless), single(order.reference)), ['found', ['t-1', 't-2'], 2]);
    assert.deepEqual(await read(listed(failed, nameless), single('another')), ['found', ['t-1'], 2]);
    assert.deepEqual(await read(listed(nameless), single('another')), ['unavailable', 'filter_ignored', 2]);
    assert.deepEqual(await read(listed(nameless), single(undefined)), ['unavailable', 'reference_missing', 2]);
    assert.deepEqual(await read(listed(nameless), answer(500, '')), ['unavailable', 'http_500', 2]);
    const another = topup({ id: 't-3', reference: null });
    assert.deepEqual(await read(listed(nameless, another)), ['unavailable', 'reference_missing', 1]);
  });

  test('can be throttled or blocked, like every request', async () => {
    assert.equal((await lookup(answer(429, ''))).kind, 'throttled');
    assert.equal((await lookup(answer(403, ''))).kind, 'account_blocked');
    const lost: TransportResult = { kind: 'unknown', code: 'timeout', message: 'no answer', status: null };
    assert.deepEqual(await lookup(lost), {
      kind: 'unavailable',
      evidence: { httpStatus: null, code: 'timeout', message: 'no answer', requestId: null },
    });
  });
});

describe('a read in Version 2', () => {
  const read = (result: TransportResult) => setUp(result).gateway.read({ topupId: 'a/b', reference: 'r' });

  test('asks by id for the full representation', async () => {
    const { gateway, transport } = setUp(
      answer(200, success(topup({ status: 'completed', provider_reference: 'P1' }))),
    );
    const outcome = await gateway.read({ topupId: 'a/b', reference: 'r' });
    assert.equal(transport.asked[0]?.path, '/v2/topups/a%2Fb');
    assert.ok(outcome.kind === 'found');
    assert.deepEqual(
      outcome.payments.map(({ state, full, providerReference }) => [state, full, providerReference]),
      [['completed', true, 'P1']],
    );
  });

  test('trusts a 404 only from the service itself', async () => {
    assert.equal((await read(answer(404, failure('NOT_FOUND', 404)))).kind, 'not_found');
    assert.equal((await read(answer(404, 'nginx'))).kind, 'unavailable');
  });

  test('asks by reference if no id is known', async () => {
    const { gateway, transport } = setUp(answer(200, success([], page(0))));
    await gateway.read({ topupId: '', reference: 'r' });
    assert.match(transport.asked[0]?.path ?? '', /reference=r/);
  });
});

describe('the list, the balance and the catalog of Version 2', () => {
  test('reports the readable parts of an unreadable entry', async () => {
    const broken = { ...topup(), amount: null };
    const entries = [broken, { ...broken, phone_number: '0712', reference: 5, status: 'failed', id: '' }, null];
    const { gateway } = setUp(answer(200, success([...entries, topup()], page(4))));
    const outcome = await gateway.list?.({ page: 1, perPage: 100, fromMs: null, toMs: null });
    assert.ok(outcome?.kind === 'page');
    const { id, reference, phone_number, created_at } = topup() as Record<string, string>;
    const createdAt = Date.parse(created_at ?? '');
    const [first, second, third, ...more] = outcome.unreadable;
    assert.deepEqual(first, { topupId: id, reference, phoneNumber: phone_number, createdAt, hasFailed: false });
    const unknown = { reference: null, phoneNumber: null };
    assert.deepEqual(second, { ...unknown, topupId: second?.topupId, createdAt, hasFailed: true });
    assert.deepEqual(third, { ...unknown, topupId: third?.topupId, createdAt: null, hasFailed: false });
    assert.deepEqual([outcome.payments.length, more, second?.topupId === third?.topupId], [1, [], false]);
    assert.match(second?.topupId ?? '', /^entry-[0-9a-f]{16}$/);
  });

  test('reports the readable parts of an entry that is nested too deeply', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const text = JSON.stringify(success([{ reference: 'r', metadata: 0 }, topup()], page(2))).replace(
      '"metadata":0',
      `"metadata":${deep}`,
    );
    const outcome = await setUp(answer(200, text)).gateway.list?.({ page: 1, perPage: 100, fromMs: null, toMs: null });
    assert.ok(outcome?.kind === 'page');
    const [only] = outcome.unreadable;
    assert.deepEqual([outcome.payments.length, outcome.unreadable.length, only?.reference], [1, 1, 'r']);
    assert.match(only?.topupId ?? '', /^entry-[0-9a-f]{16}$/);
  });

  test('lists a page in the requested order and period, and leaves out what it cannot read', async () => {
    const { gateway, transport } = setUp(answer(200, success([{ id: 1 }, topup()], page(250, true))));
    const outcome = await gateway.list?.({ page: 2, perPage: 100, fromMs: now, toMs: null, oldestFirst: true });
    const query = new URL(transport.asked[0]?.path ?? '', 'http://x').searchParams;
    assert.deepEqual(Object.fromEntries(query), {
      page: '2',
      per_page: '100',
      sort: 'created_at',
      from: '2026-11-20T09:00:00.000Z',
    });
    assert.ok(outcome?.kind === 'page');
    assert.deepEqual([outcome.payments.length, outcome.hasNext, outcome.total], [1, true, 250]);
  });

  test('reads the wallets as exact decimals', async () => {
    const text = `{"success":true,"data":{"available_balance":{"amount":9007199254740993.01,"currency":"USD"},
      "wallets":[{"id":"w1","currency":"USD","balance":1e3,"type":"global","status":"active","allowed_countries":["*"]},
      {"id":"w2","currency":"KES","balance":0.10,"type":"local","status":"inactive","allowed_countries":["KE"]}]}}`;
    const outcome = await setUp(answer(200, text)).gateway.balance();
    assert.deepEqual(outcome, {
      kind: 'balance',
      balance: {
        total: { value: '9007199254740993.01', currency: 'USD' },
        wallets: [
          { walletId: 'w1', name: 'global USD', currency: 'USD', balance: '1000', active: true },
          { walletId: 'w2', name: 'local KES', currency: 'KES', balance: '0.1', active: false },
        ],
        readAt: now,
      },
    });
  });

  test('reports that a balance is not available if it cannot be read', async () => {
    assert.equal((await setUp(answer(200, success({ wallets: [] }))).gateway.balance()).kind, 'unavailable');
  });
});

test('a key that no header can carry is refused, and the message does not show it', () => {
  const deps = { transport: scriptedTransport(answer(200, {})), clock: systemClock };
  const options = { walletMode: 'auto', policy: v2Policy(60_000), deadlineMs: 60_000 } as const;
  for (const bad of ['', 'canary\nkey', 'canary key', 'canäry']) {
    assert.throws(
      () => makeV2Gateway(deps, { ...options, credentials: { apiKey: bad } }),
      (error: Error) => (error as { code?: string }).code === 'CONFIG_INVALID' && !error.message.includes('canar'),
    );
  }
});

test('the catalog of Version 2 is searched by the names that a network has in it', async () => {
  const { gateway, transport } = setUp(answer(200, success({ networks: [], products: [] })));
  await gateway.networks({ country: 'KE' });
  await gateway.networks({ phoneNumber: '+254712345678' });
  await gateway.products({ networkId: 7 });
  const queries = transport.asked.map(({ path }) => Object.fromEntries(new URL(path, 'http://x').searchParams));
  assert.deepEqual(queries, [{ country_code: 'KE' }, { phone_number: '+254712345678' }, { network_id: '7' }]);
});

test('a credential that the service echoes is not kept, however it is written', async () => {
  const escaped = apiKey.replace('-', '\\u002d');
  for (const echoed of [apiKey, escaped]) {
    const text = JSON.stringify(
      success(topup({ status: 'failed', failure_reason: `key @ refused`, provider_reference: '@' })),
    ).replaceAll('@', echoed);
    const created = await create(answer(200, text));
    assert.doesNotMatch(JSON.stringify(created), /canary/);
    assert.match(JSON.stringify(created), /key \[secret\] refused/);
  }
});

test('U+0000 in a text of the service, which PostgreSQL cannot keep, becomes the sign for an unknown character', async () => {
  const created = await create(
    answer(200, success(topup({ status: 'failed', failure_reason: 'no\0 credit', provider_reference: 'a\0b\\u0000' }))),
  );
  assert.ok(created.kind === 'accepted');
  assert.equal(created.payment.providerReference, 'a\ufffdb\\u0000');
  assert.doesNotMatch(JSON.stringify(created), /(?<!\\)\\u0000/);
});
