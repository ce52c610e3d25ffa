import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { insertJobFile } from '../../../src/ledger/jobs/job-files.ts';
import { insertSlot } from '../../../src/ledger/jobs/slots.ts';
import { consoleOf } from '../sign-in/browser.ts';

const batch = '/api/v1/batches/B-default';

const jobFile = `import { defineJob } from 'airbatch';
export default defineJob({
  name: 'payroll',
  description: 'pays',
  schedule: { cron: '0 9 25 * *', timeZone: 'Africa/Nairobi', catchUp: 'last' },
  source: { kind: 'folder', folder: 'payroll', pattern: '*.csv' },
  runId: '{job}-{slot:yyyy-MM}',
});
`;

describe('two people with one batch', () => {
  test('cannot decide about a state that they have not seen', async (t) => {
    const { person, statusOf } = await consoleOf(t);
    const [amina, bela] = [await person('amina', { roles: ['approve'] }), await person('bela', { roles: ['operate'] })];
    const { etag } = (await amina.send('GET', `${batch}/review`)).headers;
    const seen = (await amina.send('GET', batch)).headers.etag;
    assert.match(String(seen), /^"[0-9]+"$/);
    assert.ok(etag === undefined || etag === seen);
    const reorder = { priority: 'urgent' };
    assert.equal((await bela.send('POST', `${batch}/reorder`, { body: reorder })).status, 200);
    const reject = (tag: string) =>
      amina.send('POST', `${batch}/reject`, {
        body: { why: 'x' },
        headers: { 'if-match': tag, 'idempotency-key': 'one' },
      });
    const refused = await reject(String(seen));
    assert.deepEqual([refused.status, refused.body.code], [412, 'CHANGED_MEANWHILE']);
    assert.equal(await statusOf('B-default'), 'awaiting_approval');
    const now = (await amina.send('GET', batch)).headers.etag;
    assert.notEqual(now, seen);
    assert.equal((await reject(String(now))).status, 200, 'the refusal was not kept under its key');
    assert.equal((await reject(String(now))).status, 200, 'the answer was');
  });

  test('have the tag of the state that they have seen, also if a proxy has compressed it', async (t) => {
    const { person } = await consoleOf(t);
    const { send } = await person('amina', { roles: ['audit', 'operate'] });
    for (const [priority, marked] of [
      ['urgent', (tag: string) => `W/${tag}`],
      ['bulk', (tag: string) => tag.replace(/"$/, '-gzip"')],
    ] as const) {
      const seen = marked(String((await send('GET', batch)).headers.etag));
      const reorder = () => send('POST', `${batch}/reorder`, { body: { priority }, headers: { 'if-match': seen } });
      assert.equal((await reorder()).status, 200, seen);
      assert.equal((await reorder()).status, 412, seen);
    }
  });

  test('cannot both decide at the same moment', async (t) => {
    const { db, person } = await consoleOf(t);
    const { transact } = db;
    // Each change waits until all requests have read the batch.
    db.transact = async (work) => {
      for (let turn = 0; turn < 50; turn += 1) await setImmediate();
      return transact(work);
    };
    const people = await Promise.all(['amina', 'bela', 'chidi'].map((name) => person(name, { roles: ['operate'] })));
    for (let round = 0; round < 10; round += 1) {
      const [first] = people;
      const seen = String((await first?.send('GET', batch))?.headers.etag);
      const answers = await Promise.all(
        people.map(({ send }, at) =>
          send('POST', `${batch}/reorder`, {
            body: { priority: ['urgent', 'bulk', 'normal'][(round + at) % 3] },
            headers: { 'if-match': seen },
          }),
        ),
      );
      const done = answers.filter(({ status }) => status === 200);
      const refused = answers.filter(({ status, body }) => status === 412 && body.code === 'CHANGED_MEANWHILE');
      assert.equal(done.length + refused.length, 3, JSON.stringify(answers.map(({ body }) => body)));
      assert.equal(done.length, 1, `round ${round}`);
    }
  });

  test('cannot change a person, a key, an endpoint or a job that another has changed since', async (t) => {
    const { db, person, addUser, send, makeKey, session } = await consoleOf(t);
    mkdirSync(session.config.jobs);
    writeFileSync(join(session.config.jobs, 'payroll.ts'), jobFile);
    const amina = await person('amina', { roles: ['admin', 'audit', 'operate'] });
    const nextCode = await amina.enrol();
    const prove = (purpose: string) =>
      amina.send('POST', '/api/v1/session/step-up', { body: { purpose, code: nextCode() } });
    for (const purpose of ['change-user', 'change-webhook']) await prove(purpose);
    await addUser('bela', { roles: ['prepare'] });
    await makeKey('payroll', ['prepare']);
    await send('POST', '/api/v1/webhooks', { body: { url: 'https://example.org/' }, once: 'webhook' });
    const listed = async (url: string, list: string) => (await amina.send('GET', url)).body[list] as { etag: string }[];
    const [users, keys, endpoints, jobs] = [
      await listed('/api/v1/users', 'users'),
      await listed('/api/v1/api-keys', 'keys'),
      await listed('/api/v1/webhooks', 'endpoints'),
      await listed('/api/v1/jobs', 'jobs'),
    ];
    const [endpoint] = endpoints as { etag: string; endpoint_id: string }[];
    const ofName = (list: { etag: string }[], name: string) =>
      list.find((one) => Object(one).name === name)?.etag ?? '';
    const post = async (url: string, etag: string, body: object) =>
      (await amina.send('POST', url, { body, headers: { 'if-match': etag } })).body.code ?? 'done';
    const change = (language: string) => post('/api/v1/users/bela/change', ofName(users, 'bela'), { language });
    assert.deepEqual([await change('fr'), await change('sw')], ['done', 'CHANGED_MEANWHILE']);
    const revoke = () => post('/api/v1/api-keys/payroll/revoke', ofName(keys, 'payroll'), {});
    assert.equal(await revoke(), 'done');
    await makeKey('payroll', ['approve']);
    assert.equal(await revoke(), 'CHANGED_MEANWHILE', 'a later key of the same name is another one');
    const toggle = () =>
      post(`/api/v1/webhooks/${endpoint?.endpoint_id}/change`, endpoint?.etag ?? '', { enabled: false });
    assert.deepEqual([await toggle(), await toggle()], ['done', 'CHANGED_MEANWHILE']);
    const run = () => post('/api/v1/jobs/payroll/run', ofName(jobs, 'payroll'), {});
    await db.transact((tx) => insertSlot(tx, { job: 'payroll', due_at: 0, state: 'skipped', detail: null }));
    assert.equal(await run(), 'CHANGED_MEANWHILE');
    const reasons = [{ code: 'SLOT_NO_FILE', values: {} }];
    await db.transact(async (tx) => {
      for (let due_at = 1; due_at <= 10; due_at += 1)
        await insertSlot(tx, {
          job: 'payroll',
          due_at,
          state: 'failed',
          detail: 'no file has come',
          ...(due_at > 9 && { reasons }),
        });
      await insertJobFile(tx, {
        ...{ batch_id: 'B-default', job: 'payroll', due_at: 9 },
        ...{ name: 'n.csv', working_path: '/n.csv' },
      });
    });
    const [{ slots }] = Object(await listed('/api/v1/jobs', 'jobs'));
    assert.deepEqual(
      slots.map(({ due_at, batches }: { due_at: string; batches: { file: string }[] }) => [
        Date.parse(due_at),
        batches,
      ]),
      [10, 9, 8, 7, 6, 5, 4, 3, 2, 1].map((at) => [at, at === 9 ? [{ batch_id: 'B-default', file: 'n.csv' }] : []]),
    );
    assert.deepEqual([slots[0].state, slots[0].detail], ['failed', 'no file has come']);
    assert.deepEqual([slots[0].reasons, slots[1].reasons], [reasons, null], 'null: of an earlier version');
  });

  test('learn nothing from the tag of a batch that they may not see', async (t) => {
    const { person } = await consoleOf(t);
    const { send } = await person('amina', { roles: ['approve'], accounts: ['default'] });
    const read = await send('GET', '/api/v1/batches/B-other');
    assert.deepEqual([read.status, read.headers.etag], [404, undefined]);
    for (const path of ['batches/B-other/audit-pack', 'drafts/D-other/file/original', 'drafts/D-other/rows']) {
      const refused = await send('GET', `/api/v1/${path}`);
      assert.equal(refused.headers.etag, undefined, path);
      assert.ok(refused.status >= 400, path);
    }
    const headers = { 'if-match': '"0"' };
    const decided = await send('POST', '/api/v1/batches/B-other/reject', { body: { why: 'x' }, headers });
    assert.equal(decided.body.code, 'BATCH_UNKNOWN');
  });
});
