import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { isoTime } from '../../src/core/time/clock.ts';
import { approve, requestApproval } from '../../src/engine/batches/batch-commands.ts';
import { type StoredGate, savePace } from '../../src/ledger/accounts/pace.ts';
import { requireBatch } from '../../src/ledger/batches/require-batch.ts';
import type { Database } from '../../src/ledger/drivers/database.ts';
import { claimWebhooks } from '../../src/ledger/outbox/webhook-claim.ts';
import { pageDeliveries, pruneDeliveries, sendAgain } from '../../src/ledger/outbox/webhook-deliveries.ts';
import { type Endpoint, findEndpoint, saveEndpoint, skipToNow } from '../../src/ledger/outbox/webhook-endpoints.ts';
import { takeLease } from '../../src/ledger/schema/lease-table.ts';
import { inUnit } from '../../src/ledger/unit-of-work.ts';
import { makeWebhookDelivery } from '../../src/notify/deliver-webhooks.ts';
import { isPrivateAddress, post, signedHeaders } from '../../src/notify/post.ts';
import { queueWebhooks, triedForMs } from '../../src/notify/webhook-events.ts';
import { makeRig, someRows } from '../support/engine.ts';
import { folderOf } from '../support/folder.ts';
import { httpServer } from '../support/http-server.ts';
import { aBatch, addBatch, approvalBy, idlePace, setPause, unplanned } from '../support/ledger.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const newer = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;

interface Got {
  body: string;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of a message
  json: any;
}

/** A receiver that answers with what `answer` says; undefined: it does not answer. */
async function receiver(t: TestContext, answer: (got: Got) => number | undefined = () => 204) {
  const got: Got[] = [];
  const { url } = await httpServer(t, (request, bytes, response) => {
    const body = bytes.toString();
    const one = { body, headers: request.headers, json: JSON.parse(body) };
    got.push(one);
    const status = answer(one);
    if (status === undefined) return;
    response.writeHead(status, { location: '/elsewhere' }).end('x'.repeat(100_000));
  });
  return { url: `${url}/hook`, got };
}

async function setUp(t: TestContext) {
  const { db, clock: still } = await makeRig();
  let passed = 0;
  // A receiver refuses what is old by its own clock.
  const began = Date.now();
  const clock = { ...still, now: () => began + passed, monotonic: () => passed };
  const ending = new AbortController();
  const disabled: string[] = [];
  const delivery = makeWebhookDelivery({
    ...{ db, clock, mayBePrivate: false, ending: ending.signal },
    random: { fraction: () => 0.5, hex: (bytes: number) => '0'.repeat(bytes * 2) },
    openSecret: async (_endpoint, sealed) => (sealed === '' ? null : sealed),
    onDisabled: ({ endpoint_id }) => disabled.push(endpoint_id),
    onError: (error) => assert.fail(String(error)),
  });
  t.after(() => ending.abort());
  const add = (id: string, url: string, fields: Partial<Endpoint> = {}) =>
    db.transact(async (tx) => {
      await skipToNow(tx);
      await saveEndpoint(tx, {
        ...{ endpoint_id: id, url, secret, earlier_secret: null, earlier_until: null, enabled: 1, failed_at: null },
        ...{ created_by: 'ann', created_at: clock.now(), deleted_at: null, events: [], accounts: [], ...fields },
      });
    });
  const pass = async (after = 0) => {
    passed += after;
    await queueWebhooks(db, clock.now(), ['main']);
    await delivery.begin();
    await delivery.ended();
  };
  const actor = { db, clock, person: 'mary', through: 'cli' as const };
  const batch = async (batch_id: string, account = 'main') => {
    const rows = someRows(2).map((row) => ({ ...row, batch_id }));
    await addBatch(db, clock, aBatch({ batch_id, account, run_id: batch_id, status: 'received' }), rows);
    await inUnit(db, { clock, actor: 'intake' }, async (unit) =>
      unit.changeBatch(await requireBatch(unit.tx, batch_id), 'validate', {}, {}),
    );
  };
  return { db, clock, delivery, add, pass, actor, batch, disabled };
}

const types = (got: readonly Got[]) => got.map(({ json }) => `${json.type} ${json.data.batch_id ?? json.data.account}`);

describe('a webhook', () => {
  test('is sent once for each thing that happens, in order, signed, and without anything personal', async (t) => {
    const { db, add, pass, actor, batch } = await setUp(t);
    await batch('before');
    const { url, got } = await receiver(t);
    await add('we_1', url);
    await batch('one');
    await requestApproval(actor, 'one', approvalBy(1));
    await pass();
    await pass();
    await db.execute(`UPDATE batches SET content_sha256 = NULL`);
    assert.deepEqual(types(got), ['batch.received one', 'batch.awaiting_approval one']);
    const [, second] = got;
    const { type, timestamp, data } = new Webhook(secret).verify(second?.body ?? '', {
      ...(second?.headers as Record<string, string>),
      'webhook-timestamp': String(second?.headers['webhook-timestamp']),
    }) as Got['json'];
    assert.equal(type, 'batch.awaiting_approval');
    assert.match(timestamp, /^\d{4}-.*Z$/);
    assert.deepEqual(
      [data.run_id, data.account, data.status, data.rows, data.charged],
      ['one', 'main', 'awaiting_approval', { ready: 2 }, {}],
    );
    assert.doesNotMatch(got.map(({ body }) => body).join(), /2547|ref-1/);
    assert.notEqual(got[0]?.headers['webhook-id'], got[1]?.headers['webhook-id']);
  });

  test('waits, and says why, while its secret cannot be opened', async (t) => {
    const { db, add, pass, batch } = await setUp(t);
    const { url, got } = await receiver(t);
    await add('we_1', url, { secret: '' });
    await batch('one');
    await pass();
    const [attempt] = await db.query<{ error: string }>('SELECT error FROM webhook_attempts');
    assert.match(attempt?.error ?? '', /secrets\.key/);
    assert.deepEqual(got, []);
    await db.execute('UPDATE webhook_endpoints SET secret = ?', [secret]);
    await pass(60_000);
    assert.deepEqual(types(got), ['batch.received one']);
  });

  test('goes to the endpoints that asked for its kind and account, and to no disabled one', async (t) => {
    const { add, pass, actor, batch } = await setUp(t);
    const all = await receiver(t);
    await add('we_all', all.url);
    const chosen = await receiver(t);
    await add('we_kind', chosen.url, { events: ['batch.approved'] });
    const other = await receiver(t);
    await add('we_other', other.url, { accounts: ['other'] });
    const none = await receiver(t);
    await add('we_none', none.url, { enabled: 0 });
    await batch('one');
    await batch('two', 'other');
    await approve(actor, 'one', unplanned);
    await pass();
    assert.deepEqual(types(all.got).toSorted(), ['batch.approved one', 'batch.received one', 'batch.received two']);
    assert.deepEqual(types(chosen.got), ['batch.approved one']);
    assert.deepEqual(types(other.got), ['batch.received two']);
    assert.deepEqual(none.got, []);
  });

  test('says when an account cannot send, and when it can again', async (t) => {
    const { db, add, pass, batch } = await setUp(t);
    const { url, got } = await receiver(t);
    await add('we_1', url, { events: ['account.closed', 'account.open'] });
    await batch('batch-1');
    await pass();
    await setPause(db, 'insufficient_balance');
    await pass();
    await pass();
    await db.execute('DELETE FROM pauses');
    await pass(1_000);
    assert.deepEqual(types(got), ['account.closed main', 'account.open main']);
    assert.deepEqual(got[0]?.json.data.reasons, ['insufficient_balance']);
  });

  test('says until when an account cannot send, unless one of the reasons has no known end', async (t) => {
    const { db, clock, add, pass, batch } = await setUp(t);
    const { url, got } = await receiver(t);
    await add('we_1', url, { events: ['account.closed', 'account.open'] });
    await batch('batch-1');
    await pass();
    const now = clock.now();
    const holder = { holder: 'elsewhere/1/1', deadHolder: null };
    const held = await takeLease(db, { account: 'main', now, ttlMs: 600_000, ...holder });
    const throttle = { since: now, at: now, saidMs: 60_000, until: now + 60_000 };
    const passWith = async (gate: StoredGate, after = 0) => {
      await savePace(db, 'main', { ...idlePace, fence: held?.fence ?? 0, gate });
      await pass(after);
    };
    await passWith({ throttle, unreachableSince: null });
    await passWith({ throttle: null, unreachableSince: null }, 1_000);
    await passWith({ throttle, unreachableSince: now }, 1_000);
    assert.deepEqual(
      got.map(({ json }) => [json.type, json.data.reasons, json.data.until]),
      [
        ['account.closed', ['throttled'], isoTime(now + 60_000)],
        ['account.open', [], null],
        ['account.closed', ['throttled', 'unreachable'], null],
      ],
    );
  });

  test('is signed with both secrets while one replaces the other', async (t) => {
    const { add, pass, batch, clock } = await setUp(t);
    const { url, got } = await receiver(t);
    await add('we_1', url, { secret: newer, earlier_secret: secret, earlier_until: clock.now() + 60_000 });
    await batch('one');
    await pass();
    await batch('two');
    await pass(60_000);
    const [both, one] = got.map(({ headers }) => String(headers['webhook-signature']).split(' ').length);
    assert.deepEqual([both, one], [2, 1]);
    for (const key of [secret, newer])
      new Webhook(key).verify(got[0]?.body ?? '', got[0]?.headers as Record<string, string>);
  });
});

describe('a receiver that does not take a webhook', () => {
  test('gets it again later, and what follows in the same batch only after it', async (t) => {
    const { db, add, pass, actor, batch } = await setUp(t);
    let isUp = false;
    const { url, got } = await receiver(t, ({ json }) => (isUp || json.data.batch_id === 'two' ? 200 : 302));
    await add('we_1', url);
    await batch('one');
    await approve(actor, 'one', unplanned);
    await batch('two');
    await pass();
    // Different batches have no order among each other.
    assert.deepEqual(types(got).toSorted(), ['batch.received one', 'batch.received two'], 'a redirect is not followed');
    const refused = got.find(({ json }) => json.data.batch_id === 'one');
    await pass(1_000);
    assert.equal(got.length, 2, 'not before it is due');
    isUp = true;
    await pass(5_000);
    assert.deepEqual(types(got.slice(2)), ['batch.received one', 'batch.approved one']);
    assert.equal(refused?.headers['webhook-id'], got[2]?.headers['webhook-id']);
    const log = await pageDeliveries(db, 'we_1', null, 10);
    assert.deepEqual(log.map(({ due_at, attempts }) => [due_at, attempts]).toSorted(), [
      [null, 1],
      [null, 1],
      [null, 2],
    ]);
  });

  test('is disabled after three days, and what was given up can be sent again', async (t) => {
    const { db, clock, add, pass, batch, disabled } = await setUp(t);
    let status = 500;
    const { url, got } = await receiver(t, () => status);
    await add('we_1', url);
    await batch('one');
    await pass();
    for (let hours = 0; hours < 72; hours += 6) await pass(6 * 3_600_000);
    assert.deepEqual(disabled, ['we_1']);
    assert.equal((await findEndpoint(db, 'we_1'))?.enabled, 0);
    const tried = got.length;
    assert.ok(tried > 5, `${tried} attempts`);
    await pass(triedForMs);
    assert.equal(got.length, tried);
    status = 200;
    await db.execute('UPDATE webhook_endpoints SET enabled = 1');
    await sendAgain(db, 1, clock.now(), clock.now() + triedForMs);
    await pass();
    assert.equal(got.length, tried + 1);
    assert.equal(await db.transact((tx) => pruneDeliveries(tx, clock.now(), 100)), 1);
    assert.deepEqual(await db.query('SELECT * FROM webhook_attempts'), []);
  });

  test('delays no other, if it does not answer', async (t) => {
    const { add, batch, db, clock, delivery } = await setUp(t);
    const silent = await receiver(t, () => undefined);
    const quick = await receiver(t);
    await add('we_silent', silent.url);
    await add('we_quick', quick.url);
    await batch('one');
    await queueWebhooks(db, clock.now(), []);
    await delivery.begin();
    for (let tries = 0; quick.got.length === 0 && tries < 200; tries += 1)
      await new Promise((soon) => setTimeout(soon, 10));
    assert.deepEqual(types(quick.got), ['batch.received one']);
  });
});

test('of two programs on one ledger, one sends webhooks, until its claim has expired', async () => {
  const { db } = await makeRig();
  const claim = (holder: string, now: number) => claimWebhooks(db as Database, holder, now, now + 30_000);
  assert.deepEqual([await claim('a', 0), await claim('b', 1), await claim('a', 20_000)], [true, false, true]);
  assert.deepEqual(
    [await claim('b', 40_000), await claim('b', 50_001), await claim('a', 50_002)],
    [false, true, false],
  );
});

test('a program that only waits for the claim of another one holds up no writer', async () => {
  const { db } = await makeRig();
  let transactions = 0;
  const counting: Database = {
    ...db,
    transact(work, options) {
      transactions += 1;
      return db.transact(work, options);
    },
  };
  const claim = (holder: string, now: number) => claimWebhooks(counting, holder, now, now + 30_000);
  assert.equal(await claim('a', 0), true);
  for (let now = 1_000; now < 10_000; now += 1_000) {
    assert.equal(await claim('b', now), false);
    assert.equal(await claim('a', now), true);
  }
  assert.equal(transactions, 1);
});

test('nothing is posted to an inner network, unencrypted, or to what a redirect names', async () => {
  const to = (url: string) => post({ url, body: '{}', mayBePrivate: false });
  for (const host of ['10.0.0.1', '169.254.169.254', '[fd00::1]', '[::ffff:10.0.0.1]', '192.168.1.1', '0x7f.1'])
    await assert.rejects(to(`https://${host}/`), host === '0x7f.1' ? /./ : /is a private address/, host);
  await assert.rejects(to('http://example.com/'), /must be https/);
  assert.deepEqual(['127.0.0.1', '8.8.8.8', '172.31.0.1', '2606:4700::1111', 'fe80::1'].map(isPrivateAddress), [
    ...[true, false, true, false, true],
  ]);
});

const page = readFileSync(join(import.meta.dirname, '../../docs/api.md'), 'utf8');

describe('the example in docs/api.md checks a signature', () => {
  const body = '{"type":"batch.completed"}';
  const headers = (at: number) => signedHeaders([newer, secret], { id: 'one:7', at }, body);

  test('in Python', (t) => {
    if (spawnSync('python3', ['--version']).status !== 0) return t.skip('there is no python3');
    const code = /```python\n(import base64[\s\S]*?)```/.exec(page)?.[1] ?? '';
    const run = (given: object, text = body) =>
      spawnSync(
        'python3',
        [
          '-c',
          `${code}\nimport sys\nprint(verify(sys.argv[1].encode(), json.loads(sys.argv[2]), sys.argv[3])["type"])`,
          text,
          JSON.stringify(given),
          secret,
        ],
        { encoding: 'utf8' },
      );
    assert.equal(run(headers(Date.now())).stdout, 'batch.completed\n');
    assert.match(run(headers(Date.now()), '{"type":"batch.other"}').stderr, /signature does not fit/);
    assert.match(run(headers(Date.now() - 600_000)).stderr, /message is old/);
  });

  test('in TypeScript', async (t) => {
    const code = /```ts\n(import \{ Webhook \}[\s\S]*?)```/.exec(page)?.[1] ?? '';
    const path = join(folderOf(t), 'verify.ts');
    writeFileSync(path, code.replace("'standardwebhooks'", `'${import.meta.resolve('standardwebhooks')}'`));
    const { verify } = (await import(path)) as { verify(body: string, headers: object, secret: string): unknown };
    assert.deepEqual(verify(body, headers(Date.now()), secret), { type: 'batch.completed' });
    assert.throws(() => verify(`${body} `, headers(Date.now()), secret));
  });
});
