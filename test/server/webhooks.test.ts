import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { AirbatchError } from '../../src/core/basics/errors.ts';
import { systemRandom } from '../../src/core/basics/random.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import type { WebhookKeys } from '../../src/gateway/webhooks/webhook-signatures.ts';
import { dueInbox, inboxKeptMs, pruneInbox, updateInbox } from '../../src/ledger/accounts/webhook-inbox.ts';
import type { Database } from '../../src/ledger/drivers/database.ts';
import { makeServer } from '../../src/server/app.ts';
import { makeSeededRandom } from '../simulation/seeded-random.ts';
import { makeRig, someRows } from '../support/engine.ts';
import { findInboxEntry, memoryLedger } from '../support/ledger.ts';
import { callbackBody, callbackHeaders, registeredBody, registeredHeaders } from '../support/webhooks.ts';

const now = Date.UTC(2026, 10, 20, 9, 10);
const topups = '/webhooks/main/topups';
const events = '/webhooks/main/events';

const webhookKeys = new Map<string, WebhookKeys>([
  ['main', { callback: ['key-2', 'key-1'], registered: ['hook-2', 'hook-1'] }],
  ['other', { callback: ['other-key'], registered: ['other-hook'] }],
  ['same', { callback: ['one-secret'], registered: ['one-secret'] }],
  // A Version 1 account, or one that registered nothing.
  ['silent', { callback: [], registered: [] }],
]);

async function setUp(t: TestContext, overrides: { db?: Database } = {}) {
  const db = overrides.db ?? (await memoryLedger());
  const time = { now, monotonic: 0, hasRoom: true };
  const logged: { message: string; data: unknown }[] = [];
  const hints: string[] = [];
  const health = { stopping: false, reports: true, accounts: { working: 1, waiting: 0 } };
  const app = makeServer({
    db,
    clock: { ...systemClock, now: () => time.now, monotonic: () => time.monotonic },
    random: systemRandom,
    log: { info: () => undefined, warn: (message, data) => void logged.push({ message, data }) },
    webhookKeys,
    hasRoom: async () => time.hasRoom,
    onWebhook: (account) => void hints.push(account),
    health: () => health,
  });
  t.after(() => app.close());
  const post = (url: string, payload: string | Buffer, headers: Record<string, string>) =>
    app.inject({ method: 'POST', url, payload, headers });
  const kept = () => dueInbox(db, 'main', Number.MAX_SAFE_INTEGER, 1_000);
  return { db, app, time, logged, hints, health, post, kept };
}

const callback = callbackBody({ id: 'topup-1', status: 'completed', reference: 'run-1/ref-1' });
const event = registeredBody('evt-1', 'transaction.completed', { idempotencyKey: 'k-1' });

describe('the webhook receiver', () => {
  test('names the methods of an address in the header Allow', async (t) => {
    const { app } = await setUp(t);
    for (const [method, url, allowed] of [
      ['GET', `${topups}?x=1`, 'POST'],
      ['PUT', '/webhooks/stranger/events', 'POST'],
      ['POST', '/ready', 'GET, HEAD'],
      ['DELETE', '/live', 'GET, HEAD'],
    ] as const) {
      const answer = await app.inject({ method, url });
      assert.deepEqual([answer.statusCode, answer.json()], [405, { error: 'method_not_allowed' }], url);
      assert.equal(String(answer.headers.allow).split(', ').toSorted().join(', '), allowed, url);
    }
    const unknown = await app.inject({ method: 'PUT', url: '/nothing' });
    assert.deepEqual([unknown.statusCode, unknown.headers.allow], [404, undefined]);
  });

  test('stores correctly signed webhooks of either scheme, and wakes the runner', async (t) => {
    const { post, kept, hints } = await setUp(t);
    const first = await post(topups, callback, callbackHeaders(callback, 'key-2', now));
    assert.deepEqual([first.statusCode, first.json()], [200, { received: 'now' }]);
    const second = await post(events, event, registeredHeaders(event, 'hook-2'));
    assert.deepEqual([second.statusCode, second.json()], [200, { received: 'now' }]);
    assert.deepEqual(
      (await kept()).map(({ scheme, body, received_at }) => [scheme, body, received_at]),
      [
        ['callback', callback, now],
        ['registered', event, now],
      ],
    );
    assert.deepEqual(hints, ['main', 'main']);
  });

  test('stores no key that the service echoes in a signed body', async (t) => {
    const { db, post } = await setUp(t);
    const body = callbackBody({ id: 'topup-1', status: 'failed', reference: 'r', failure_reason: 'key one-secret' });
    await post('/webhooks/same/topups', body, callbackHeaders(body, 'one-secret', now));
    const [entry] = await dueInbox(db, 'same', Number.MAX_SAFE_INTEGER, 1);
    assert.match(entry?.body ?? '', /"key \[secret\]"/);
  });

  test('accepts the old key and the new one during a rotation', async (t) => {
    const { post } = await setUp(t);
    for (const [index, key] of ['key-1', 'key-2'].entries()) {
      const at = now + index * 1_000;
      assert.equal((await post(topups, callback, callbackHeaders(callback, key, at))).json().received, 'now');
    }
    assert.equal((await post(topups, callback, callbackHeaders(callback, 'key-3', now))).statusCode, 401);
    for (const secret of ['hook-1', 'hook-2']) {
      const body = registeredBody(`evt-${secret}`, 'transaction.completed');
      assert.equal((await post(events, body, registeredHeaders(body, secret))).json().received, 'now');
    }
  });

  test('answers a repeated webhook with 200, and changes nothing', async (t) => {
    const { post, kept, hints, time } = await setUp(t);
    const headers = callbackHeaders(callback, 'key-1', now);
    await post(topups, callback, headers);
    await post(events, event, registeredHeaders(event, 'hook-1'));
    const before = await kept();
    time.now += 10_000;
    const replayed = await post(topups, callback, headers);
    assert.deepEqual([replayed.statusCode, replayed.json()], [200, { received: 'before' }]);
    // The same event may be worded anew at a second delivery: its id is what counts.
    const reworded = registeredBody('evt-1', 'transaction.failed', { idempotencyKey: 'k-2' });
    assert.equal((await post(events, reworded, registeredHeaders(reworded, 'hook-1'))).json().received, 'before');
    assert.deepEqual(await kept(), before);
    assert.equal(hints.length, 2);
  });

  test('rejects a callback that was signed more than five minutes ago, or is from the future', async (t) => {
    const { post, kept, logged } = await setUp(t);
    for (const at of [now - 301_000, now + 301_000]) {
      assert.equal((await post(topups, callback, callbackHeaders(callback, 'key-1', at))).statusCode, 401);
    }
    assert.equal((await post(topups, callback, callbackHeaders(callback, 'key-1', now - 299_000))).statusCode, 200);
    assert.equal((await kept()).length, 1);
    assert.match(JSON.stringify(logged), /timestamp_stale/);
  });

  test('rejects an event that is older than the record of received events', async (t) => {
    const { db, post, kept, logged, time } = await setUp(t);
    const headers = registeredHeaders(event, 'hook-1');
    time.now += 49 * 86_400_000;
    assert.equal((await post(events, event, headers)).statusCode, 200);
    const [first] = await kept();
    assert.ok(first);
    await updateInbox(db, { ...first, due_at: null, handled_at: time.now });
    time.now += inboxKeptMs + 1;
    assert.equal((await pruneInbox(db, { from: 0, before: time.now - inboxKeptMs }, 10)).length, 1);
    assert.equal((await post(events, event, headers)).statusCode, 401);
    assert.match(JSON.stringify(logged), /timestamp_stale/);
  });

  test('gives an unknown account, a silent one and a wrong signature exactly the same answer', async (t) => {
    const { post, kept } = await setUp(t);
    const signed = callbackHeaders(callback, 'key-1', now);
    const answers = [
      await post(topups, callback, { ...signed, 'x-webhook-signature': '0'.repeat(64) }),
      await post(topups, callback, {}),
      await post('/webhooks/nobody/topups', callback, signed),
      await post('/webhooks/silent/topups', callback, callbackHeaders(callback, '', now)),
      await post('/webhooks/other/topups', callback, signed),
      await post('/webhooks/__proto__/topups', callback, signed),
      await post(events, event, registeredHeaders(event, 'key-1')),
      await post('/webhooks/silent/events', event, registeredHeaders(event, '')),
      await post('/webhooks/nobody/events', event, registeredHeaders(event, 'hook-1')),
    ];
    for (const answer of answers) {
      const { date: _date, ...headers } = answer.headers;
      const { date: _first, ...expected } = answers[0]?.headers ?? {};
      assert.deepEqual([answer.statusCode, answer.body, headers], [401, '{"error":"not_authorized"}', expected]);
    }
    assert.equal((await kept()).length, 0);
  });

  test('keeps the schemes apart', async (t) => {
    const { post, kept, db } = await setUp(t);
    const headers = callbackHeaders(callback, 'one-secret', now);
    const service = { 'x-service-signature': headers['x-webhook-signature'] ?? '' };
    assert.equal((await post('/webhooks/same/events', callback, service)).statusCode, 401);
    const other = registeredHeaders(event, 'one-secret')['x-service-signature'] ?? '';
    const asCallback = { 'x-webhook-signature': other, 'x-webhook-timestamp': String(now / 1_000) };
    assert.equal((await post('/webhooks/same/topups', event, asCallback)).statusCode, 401);
    // With one secret for both, what was signed as a callback is also a rightly signed text: but no event.
    const joined = `${headers['x-webhook-timestamp']}.${callback}`;
    assert.equal((await post('/webhooks/same/events', joined, service)).statusCode, 200);
    assert.equal((await dueInbox(db, 'same', Number.MAX_SAFE_INTEGER, 10)).length, 0);
    assert.equal((await kept()).length, 0);
  });

  test('verifies the raw bytes, whatever their content type', async (t) => {
    const { post } = await setUp(t);
    const body = Buffer.from(`\n ${callback.replace('{', '{ "a": "\u00e9\u{1f4b6}", "a": 1.10,')}  `);
    for (const [index, type] of [
      'application/json',
      'text/plain; charset=latin1',
      'application/x-anything',
    ].entries()) {
      const at = now + index * 1_000;
      const headers = { ...callbackHeaders(body.toString(), 'key-1', at), 'content-type': type };
      assert.equal((await post(topups, body, headers)).statusCode, 200, type);
    }
  });

  test('accepts up to 64 KiB', async (t) => {
    const { post } = await setUp(t);
    const full = callback + ' '.repeat(64 * 1024 - callback.length);
    assert.equal((await post(topups, full, callbackHeaders(full, 'key-1', now))).statusCode, 200);
    const over = `${full} `;
    const answer = await post(topups, over, callbackHeaders(over, 'key-1', now));
    assert.equal(answer.statusCode, 413);
    assert.equal((await post('/webhooks/nobody/topups', over, {})).body, answer.body);
  });

  test('stores a correctly signed but unreadable webhook, with an alert', async (t) => {
    const { post, db, logged, kept } = await setUp(t);
    const body = '{"id":"evt-9"\0';
    assert.equal((await post(events, body, registeredHeaders(body, 'hook-1'))).statusCode, 200);
    assert.match(logged[0]?.message ?? '', /could not be read/);
    assert.equal((await kept()).length, 0);
    const { digest = '' } = (logged[0]?.data ?? {}) as { digest?: string };
    const entry = await findInboxEntry(db, { account: 'main', scheme: 'registered', message_id: digest });
    assert.deepEqual([entry?.outcome, entry?.body], ['unreadable', '{"id":"evt-9"\ufffd']);
    assert.equal(entry?.handled_at, now, 'it is forgotten like any that was handled');
  });

  test('logs neither a secret, nor a number, nor a million rejections', async (t) => {
    const { post, logged, time } = await setUp(t);
    for (let index = 0; index < 50; index++) await post(topups, callback, callbackHeaders(callback, 'wrong', now));
    for (let index = 0; index < 50; index++) await post(`/webhooks/guess-${index}/topups`, callback, {});
    assert.equal(logged.length, 2);
    time.monotonic += 60_001;
    await post(topups, callback, callbackHeaders(callback, 'wrong', now));
    assert.deepEqual(logged.at(-1)?.data, {
      account: 'main',
      scheme: 'callback',
      problem: 'signature_wrong',
      others_since_last: 49,
    });
    assert.doesNotMatch(JSON.stringify(logged), /key-|hook-|guess|254712/);
  });

  test('accepts a body without a content type, over real HTTP', async (t) => {
    const { app } = await setUp(t);
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    const { 'content-type': _type, ...untyped } = callbackHeaders(callback, 'key-1', now);
    const status = await new Promise((resolve, reject) => {
      const sent = httpRequest({ port, path: topups, method: 'POST', headers: untyped }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.on('error', reject).end(callback);
    });
    assert.equal(status, 200);
  });
});

describe('a webhook is acknowledged', () => {
  test('only after it is on disk', async (t) => {
    const inner = await memoryLedger();
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const db: Database = {
      ...inner,
      async transact(work, options) {
        await held;
        return inner.transact(work, options);
      },
    };
    const { post } = await setUp(t, { db });
    let answered = false;
    const answer = post(topups, callback, callbackHeaders(callback, 'key-1', now)).then((response) => {
      answered = true;
      return response.statusCode;
    });
    for (let turn = 0; turn < 50; turn++) await systemClock.turn();
    assert.equal(answered, false);
    letGo();
    assert.equal(await answer, 200);
  });

  test('never if the ledger could not be written: the service must send it again', async (t) => {
    const inner = await memoryLedger();
    let full = true;
    const db: Database = {
      ...inner,
      transact: (work, options) =>
        full ? Promise.reject(new AirbatchError('LEDGER_FULL', 'no room')) : inner.transact(work, options),
    };
    const { post, kept, hints, logged } = await setUp(t, { db });
    const headers = callbackHeaders(callback, 'key-1', now);
    const refused = await post(topups, callback, headers);
    assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [503, '30']);
    assert.doesNotMatch(refused.body, /room|ledger/i);
    assert.deepEqual([(await kept()).length, hints.length], [0, 0]);
    assert.match(JSON.stringify(logged), /LEDGER_FULL/);
    full = false;
    assert.equal((await post(topups, callback, headers)).json().received, 'now');
  });

  test('again if the answer to the first was lost after it was stored', async (t) => {
    const inner = await memoryLedger();
    let isFirst = true;
    const db: Database = {
      ...inner,
      async transact(work, options) {
        const result = await inner.transact(work, options);
        if (isFirst) {
          isFirst = false;
          throw new Error('killed between the commit and the answer');
        }
        return result;
      },
    };
    const { post, kept } = await setUp(t, { db });
    const headers = callbackHeaders(callback, 'key-1', now);
    assert.equal((await post(topups, callback, headers)).statusCode, 503);
    assert.deepEqual((await post(topups, callback, headers)).json(), { received: 'before' });
    assert.equal((await kept()).length, 1);
  });
});

describe('a forged webhook', () => {
  const mutations = 4_000;

  test(`is never accepted: ${mutations} seeded mutations of good ones change nothing`, async (t) => {
    const random = makeSeededRandom(20_261_120);
    const rig = await makeRig();
    await rig.add(someRows(1));
    await rig.run();
    const { post } = await setUp(t, { db: rig.db });
    const everything = async () => [
      await rig.row(1),
      await rig.batch(),
      await dueInbox(rig.db, 'main', Number.MAX_SAFE_INTEGER, 10),
    ];
    const before = await everything();
    const good = [
      { url: topups, body: callback, headers: callbackHeaders(callback, 'key-1', now) },
      { url: events, body: event, headers: registeredHeaders(event, 'hook-1') },
    ];
    for (let count = 0; count < mutations; count++) {
      const { url, body, headers } = random.pick(good);
      const forged = mutate(random, Buffer.from(body), headers);
      const answer = await post(url, forged.body, forged.headers);
      assert.equal(answer.statusCode, 401, `${count}: ${JSON.stringify(forged.headers)} ${forged.body}`);
    }
    assert.deepEqual(await everything(), before);
    // What was mutated was good: unchanged, it is taken.
    for (const { url, body, headers } of good) assert.equal((await post(url, body, headers)).statusCode, 200);
  });
});

/** One or a few changes to the body or to what was signed; always a change. */
function mutate(
  random: ReturnType<typeof makeSeededRandom>,
  body: Buffer,
  headers: Record<string, string>,
): { body: Buffer; headers: Record<string, string> } {
  const signatureName = 'x-webhook-signature' in headers ? 'x-webhook-signature' : 'x-service-signature';
  const signature = headers[signatureName] ?? '';
  const at = random.between(0, body.length - 1);
  const withSignature = (text: string) => ({ body, headers: { ...headers, [signatureName]: text } });
  const changes: (() => { body: Buffer; headers: Record<string, string> })[] = [
    () => {
      const flipped = Buffer.from(body);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << random.between(0, 7));
      return { body: flipped, headers };
    },
    () => ({ body: body.subarray(0, at), headers }),
    () => ({ body: Buffer.concat([body, Buffer.from(' ')]), headers }),
    () => ({ body: Buffer.concat([body.subarray(0, at), Buffer.from('0'), body.subarray(at)]), headers }),
    () => {
      const digit = random.between(0, 63);
      const other = ((Number.parseInt(signature[digit] ?? '0', 16) + random.between(1, 15)) % 16).toString(16);
      return withSignature(signature.slice(0, digit) + other + signature.slice(digit + 1));
    },
    () => withSignature(signature.slice(0, random.between(0, 63))),
    () => withSignature(`${signature}00`),
    () =>
      withSignature(random.pick(['', 'null', '0x', signature.replaceAll(/[a-f]/g, 'g'), `${signature},${signature}`])),
  ];
  const timestamp = headers['x-webhook-timestamp'];
  if (timestamp !== undefined) {
    changes.push(() => {
      const moved = String(Number(timestamp) + random.between(1, 299));
      return { body, headers: { ...headers, 'x-webhook-timestamp': moved } };
    });
    // The same instant in another unit, and the dot moved into the timestamp.
    changes.push(() => ({ body, headers: { ...headers, 'x-webhook-timestamp': `${timestamp}000` } }));
    changes.push(() => ({ body: body.subarray(1), headers: { ...headers, 'x-webhook-timestamp': `${timestamp}.{` } }));
  }
  return random.pick(changes)();
}

describe('the health of the server', () => {
  test('is always live, and ready while webhooks can be stored', async (t) => {
    const { app, db, health } = await setUp(t);
    const get = async (url: string) => {
      const answer = await app.inject({ url });
      return [answer.statusCode, answer.json()];
    };
    const accounts = { working: 1, waiting: 0, closed: webhookKeys.size };
    assert.deepEqual(await get('/live'), [200, { live: true }]);
    assert.deepEqual(await get('/ready'), [
      200,
      { ready: true, ledger: true, reports: true, stopping: false, accounts },
    ]);
    health.stopping = true;
    assert.deepEqual(await get('/ready'), [
      503,
      { ready: false, ledger: true, reports: true, stopping: true, accounts },
    ]);
    Object.assign(health, { stopping: false, reports: false });
    assert.deepEqual(await get('/ready'), [
      503,
      { ready: false, ledger: true, reports: false, stopping: false, accounts },
    ]);
    health.reports = true;
    await db.close();
    assert.deepEqual(await get('/ready'), [
      503,
      { ready: false, ledger: false, reports: true, stopping: false, accounts },
    ]);
    assert.deepEqual(await get('/live'), [200, { live: true }]);
  });

  test('is not ready while the ledger cannot be written, as on a full disk, though it can be read', async (t) => {
    const { app, db, time } = await setUp(t);
    const ready = async () => (await app.inject({ url: '/ready' })).statusCode;
    const { transact } = db;
    assert.equal(await ready(), 200);
    for (const [code, status] of [
      ['LEDGER_FULL', 503],
      ['LEDGER_IO', 503],
      ['LEDGER_REPLACED', 503],
      ['LEDGER_BUSY', 200],
    ] as const) {
      db.transact = async () => {
        throw new AirbatchError(code, 'no');
      };
      time.monotonic += 2_000;
      assert.equal(await ready(), status, code);
    }
    db.transact = transact;
    time.monotonic += 2_000;
    assert.equal(await ready(), 200);
    // The small test write still fits into the files of the ledger.
    time.hasRoom = false;
    assert.equal(await ready(), 503);
  });

  test('checks at most every other second that the ledger can be written, however often it is asked', async (t) => {
    const { app, db, time } = await setUp(t);
    const { transact } = db;
    let writes = 0;
    db.transact = (work) => {
      writes += 1;
      return transact(work);
    };
    for (let asked = 0; asked < 10; asked++) await app.inject({ url: '/ready' });
    assert.equal(writes, 1);
    time.monotonic += 2_000;
    await app.inject({ url: '/ready' });
    assert.equal(writes, 2);
  });

  test('has nothing else to show', async (t) => {
    const { app } = await setUp(t);
    for (const url of ['/', '/webhooks', '/metrics']) {
      assert.deepEqual((await app.inject({ url })).json(), { error: 'not_found' });
    }
  });
});
