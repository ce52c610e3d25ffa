import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { consoleOf } from '../sign-in/browser.ts';

const batch = '/api/v1/batches/B-default';

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

  test('at the same moment: one is refused, whoever comes second', async (t) => {
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

  test('learn nothing from the tag of a batch that they may not see', async (t) => {
    const { person } = await consoleOf(t);
    const { send } = await person('amina', { roles: ['approve'], accounts: ['default'] });
    const read = await send('GET', '/api/v1/batches/B-other');
    assert.deepEqual([read.status, read.headers.etag], [404, undefined]);
    const headers = { 'if-match': '"0"' };
    const decided = await send('POST', '/api/v1/batches/B-other/reject', { body: { why: 'x' }, headers });
    assert.equal(decided.body.code, 'BATCH_UNKNOWN');
  });
});
