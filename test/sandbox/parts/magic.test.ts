import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Big from 'big.js';
import fc from 'fast-check';
import { makeSandbox } from '../../../src/sandbox/index.ts';
import { countries } from '../../../src/sandbox/money/catalog-data.ts';
import { v1Answers } from '../../../src/sandbox/v1/v1-shapes.ts';
import { v2Answers } from '../../../src/sandbox/v2/v2-shapes.ts';
import { type Answer, type Client, openClient, order } from '../client.ts';

const pay = (client: Client, digits: string, key = digits): Promise<Answer | 'cut'> =>
  client
    .v2('POST', '/v2/topups', {
      body: order({ phone_number: `+25471234${digits}` }),
      headers: { 'idempotency-key': key },
    })
    .catch(() => 'cut');

const seen = (answer: Answer | 'cut') => (answer === 'cut' ? 'cut' : answer.status);

describe('magic numbers', () => {
  test('0004 has too little money, 0007 is invalid: nothing is charged', async () => {
    await using client = await openClient();
    const poor = (await pay(client, '0004')) as Answer;
    assert.equal(poor.body.error.code, 'INSUFFICIENT_BALANCE');
    const invalid = (await pay(client, '0007')) as Answer;
    assert.equal(invalid.body.error.code, 'INVALID_PHONE_NUMBER');
    assert.deepEqual(client.sandbox.charges(), []);
  });

  test('0005 is charged and its answer is lost, once; a repeat with the same key gets the answer', async () => {
    await using client = await openClient();
    assert.deepEqual([seen(await pay(client, '0005')), seen(await pay(client, '0005'))], ['cut', 201]);
    assert.equal(client.sandbox.charges().length, 1);
  });

  test('0006 gets 503 twice without a charge, and then succeeds', async () => {
    await using client = await openClient();
    const statuses = [];
    for (let index = 0; index < 2; index++) statuses.push(seen(await pay(client, '0006')));
    assert.deepEqual(statuses, [503, 503]);
    assert.deepEqual(client.sandbox.charges(), []);
    assert.equal(seen(await pay(client, '0006')), 201);
  });

  test('0009 is charged and answered with 500, 0010 with a page of HTML, once each', async () => {
    await using client = await openClient();
    assert.deepEqual([seen(await pay(client, '0009')), seen(await pay(client, '0009'))], [500, 201]);
    const v1Body = { msisdn: '254712350009', amount: 50 };
    await client.v1('POST', '/adp', { body: v1Body, shape: v1Answers.error });
    assert.equal(client.sandbox.charges().length, 2);
    const page = (await pay(client, '0010')) as Answer;
    assert.deepEqual([page.status, page.text.startsWith('<html>')], [200, true]);
    assert.equal(seen(await pay(client, '0010')), 201);
    assert.equal(client.sandbox.charges().length, 3);
  });

  test('0014 fails; 60 s later it is completed and charged again, in both versions', async () => {
    await using client = await openClient();
    const created = (await pay(client, '0014')) as Answer;
    const path = `/v2/topups/${created.body.data.id}`;
    await client.v1('POST', '/adp', {
      body: { msisdn: '254712350014', amount: 50, extRefId: 'flip', processingMode: 'ASYNC' },
    });
    const look = async () => {
      const [v2, v1] = [await client.v2('GET', path), await client.v1('GET', '/adp/transactions?extRefId=flip')];
      const { status, cost, failure_reason } = v2.body.data;
      return { status, isFree: cost.value === 0, reason: failure_reason !== null, v1: v1.body.data[0].state };
    };
    const live = () => client.sandbox.charges().map((charge) => charge.live);
    await client.clock.advance(2_000);
    assert.deepEqual(await look(), { status: 'failed', isFree: true, reason: true, v1: 'FAILED' });
    assert.deepEqual(live(), [false, false]);
    await client.clock.advance(60_000);
    assert.deepEqual(await look(), { status: 'completed', isFree: false, reason: false, v1: 'SUCCESS' });
    assert.deepEqual(live(), [true, true]);
  });

  test('0002 takes 30 seconds, 0003 never ends', async () => {
    await using client = await openClient();
    for (const digits of ['0002', '0003']) await pay(client, digits);
    const statuses = async () =>
      (await client.v2('GET', '/v2/topups?sort=created_at')).body.data.map(({ status }: { status: string }) => status);
    await client.clock.advance(29_999);
    assert.deepEqual(await statuses(), ['processing', 'processing']);
    await client.clock.advance(1);
    assert.deepEqual(await statuses(), ['completed', 'processing']);
    await client.clock.advance(30 * 24 * 3_600_000);
    assert.deepEqual(await statuses(), ['completed', 'processing']);
  });
});

describe('random faults', () => {
  const kinds: [string, number | 'cut', number][] = [
    ['request_lost', 'cut', 0],
    ['error_500_before', 500, 0],
    ['error_503', 503, 0],
    ['rate_limited', 429, 0],
    ['response_lost', 'cut', 1],
    ['error_500_after', 500, 1],
    ['malformed', 200, 1],
    ['cut_body', 'cut', 1],
  ];
  for (const [kind, status, charges] of kinds) {
    test(`${kind}: ${status}, and ${charges} charged`, async () => {
      await using client = await openClient({ faults: { mix: { [kind]: 1 } } });
      let isOver = false;
      const asked = pay(client, '4325').finally(() => {
        isOver = true;
      });
      // Half an answer is given its time on the clock.
      while (!isOver) {
        await new Promise((resolve) => setTimeout(resolve, 2));
        await client.clock.advance(10);
      }
      assert.equal(seen(await asked), status);
      assert.equal(client.sandbox.charges().length, charges);
    });
  }

  test('have the error envelope of the called version', async () => {
    for (const kind of ['error_500_before', 'error_500_after', 'rate_limited']) {
      await using client = await openClient({ faults: { mix: { [kind]: 1 } } });
      await client.v2('GET', '/v2/balance', { shape: v2Answers.error });
      const { status, body } = await client.v1('GET', '/adp/balances', { shape: v1Answers.error });
      assert.deepEqual([body.statusCode, 'success' in body], [status, false], kind);
    }
  });

  test('duplicated: without a key the second request is a duplicate of the first, and one is charged', async () => {
    await using client = await openClient({ faults: { mix: { duplicated: 1 } } });
    assert.equal((await client.v2('POST', '/v2/topups', { body: order() })).status, 201);
    assert.equal(client.sandbox.charges().length, 1);
  });

  test('hit the same requests with the same seed', async () => {
    const run = async () => {
      await using client = await openClient({ faults: { seed: 7, mix: { error_503: 0.5 } }, rate: 1_000 });
      const statuses = [];
      for (let index = 0; index < 40; index++) statuses.push(seen(await pay(client, '4325', `key-${index}`)));
      return statuses.join();
    };
    const first = await run();
    assert.equal(await run(), first);
    assert.ok(first.includes('201') && first.includes('503'));
  });
});

describe('the money', () => {
  test('of a wallet adds up: the statement explains its balance, and the charges explain the statement', async () => {
    const numbers = countries.flatMap(({ callingCode, networks, currency }) =>
      networks.slice(0, 1).map(({ id, prefixes }) => ({ id, currency, number: `+${callingCode}${prefixes[0]}` })),
    );
    const act = fc.record({
      place: fc.constantFrom(...numbers.filter(({ currency }) => ['KES', 'NGN', 'ZAR', 'TZS'].includes(currency))),
      amount: fc.integer({ min: 500, max: 100_000 }).map((cents) => cents / 100),
      mode: fc.constantFrom('auto', 'global', 'local'),
      ends: fc.constantFrom('0001', '0008', '4321', '4322'),
      waitMs: fc.integer({ min: 0, max: 100_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 25 }), async (acts) => {
        let now = Date.UTC(2026, 10, 20);
        const sandbox = await makeSandbox({
          clock: { now: () => now, after: () => () => undefined },
          seed: 3,
          rate: 10_000,
        });
        for (const { place, amount, mode, ends, waitMs } of acts) {
          const number = `${place.number}12345678`.slice(0, place.currency === 'NGN' ? 10 : 9) + ends;
          const body = JSON.stringify({
            phone_number: number,
            network_id: place.id,
            amount: { value: amount, currency: place.currency },
            wallet_mode: mode,
          });
          await sandbox.handle({
            method: 'POST',
            path: '/v2/topups',
            headers: { authorization: 'Bearer sandbox-key', 'content-type': 'application/json' },
            body,
          });
          now += waitMs;
        }
        now += 200_000;
        const charges = sandbox.charges();
        for (const wallet of sandbox.wallets.list('sandbox-company', 'v2')) {
          const statement = sandbox.wallets.statement(wallet.id);
          const sum = statement.reduce((total, { amount }) => total.plus(amount), new Big(0));
          assert.equal(sum.toFixed(), new Big(wallet.balance).toFixed());
          const charged = statement.filter(({ why }) => why === 'charge').length;
          const back = statement.filter(({ why }) => why === 'given_back' || why === 'refund').length;
          const own = charges.filter(({ topupId }) => statement.some(({ topup_id }) => topup_id === topupId));
          assert.equal(charged, own.length);
          assert.equal(back, own.filter(({ live, refunded }) => !live || refunded).length);
        }
        await sandbox.close();
      }),
      { numRuns: 60, seed: 42 },
    );
  });
});
