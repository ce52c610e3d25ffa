import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { dayMs } from '../../../src/core/time/clock.ts';
import { insertAnchor } from '../../../src/ledger/audit/anchors.ts';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { writeReports } from '../../../src/reports/reports.ts';
import { bucketStore } from '../../../src/reports/store/bucket-store.ts';
import { openBucket } from '../../../src/reports/store/object-store.ts';
import type { ReportStore } from '../../../src/reports/store/report-store.ts';
import { openSigningKey } from '../../../src/reports/versions/signing-key.ts';
import { verifyReports } from '../../../src/verify/verify.ts';
import { folderOf } from '../../support/folder.ts';
import { type S3Server, s3Server } from '../../support/s3-server.ts';
import { signedBy, testLedger, writeSampleBatch } from '../fixture.ts';
import { giveBack } from '../late.ts';

const anything = () => false;

/** The sample batch, which has ended, a bucket, and machines that write its reports into it. */
async function batchAndBucket(t: TestContext) {
  const [server, db, folder] = [await s3Server(t), await testLedger(t), folderOf(t)];
  await writeSampleBatch(db);
  const key = await openSigningKey(join(folder, 'key.pem'));
  let laterMs = 0;
  const clock = { now: () => Date.now() + laterMs };
  const objects = openBucket(server.bucket);
  const machine = () => bucketStore({ objects, clock, scratchIn: folder });
  const work = (outDir: string) => writeReports(db, 'B-1', outDir, signedBy(db, key));
  return {
    ...{ server, db, folder, key, machine, work },
    write: (store: ReportStore = machine()) => store.write('B-1', work),
    pass: (ms: number) => {
      laterMs += ms;
    },
    scratches: () => readdirSync(folder).filter((name) => name.startsWith('.making-')),
  };
}

/** The keys of the batch, without the prefix. */
function keysOf({ objects }: S3Server): string[] {
  return [...objects.keys()].map((key) => key.slice('reports/B-1/'.length)).sort();
}

/** Copies a folder of the bucket onto a disk, as an auditor would; returns the findings of `airbatch verify`. */
async function findingsOf(t: TestContext, { objects }: S3Server, dir: string) {
  const to = folderOf(t);
  const prefix = `${dir.replace('s3://payouts/', '')}/`;
  for (const [key, { body }] of objects)
    if (key.startsWith(prefix)) writeFileSync(join(to, key.slice(prefix.length)), body);
  return (await verifyReports(to)).findings;
}

/** Whether all files of a version lie in the bucket, each as its manifest says. */
function isWhole({ objects }: S3Server, dir: string): boolean {
  const bodyOf = (name: string) => objects.get(`${dir.slice('s3://payouts/'.length)}/${name}`)?.body ?? Buffer.alloc(0);
  const { files } = JSON.parse(bodyOf('manifest.json').toString());
  const digestOf = (name: string) => createHash('sha256').update(bodyOf(name)).digest('hex');
  return files.every(({ name, sha256 }: { name: string; sha256: string }) => digestOf(name) === sha256);
}

async function anchorHead(db: Database, place: string) {
  const [batch] = await db.query<{ audit_seq: number; audit_head: string }>('SELECT * FROM batches');
  const head = { batch_id: 'B-1', events: batch?.audit_seq ?? 0, head: batch?.audit_head ?? '' };
  await insertAnchor(db, { ...head, place, anchored_at: 1, receipt: null });
}

test('another machine finds a version with the same bytes as in a folder, and writes nothing again', async (t) => {
  const { server, db, key, folder, machine, write, scratches } = await batchAndBucket(t);
  const made = await write();
  assert.match(made.dir, /^s3:\/\/payouts\/reports\/B-1\/version-1-[0-9a-f]{16}$/);
  assert.deepEqual([made.version, made.is_new, scratches()], [1, true, []]);
  const local = await writeReports(db, 'B-1', join(folder, 'out'), signedBy(db, key));
  for (const name of made.files)
    assert.deepEqual(
      server.objects.get(`${made.dir.slice('s3://payouts/'.length)}/${name}`)?.body,
      readFileSync(join(local.dir, name)),
      name,
    );
  assert.deepEqual(await findingsOf(t, server, made.dir), []);
  const puts = server.requests.filter((one) => one.startsWith('PUT '));
  assert.match(puts.at(-2) ?? '', /\/manifest\.json$/, 'the manifest is the last file');
  assert.match(puts.at(-1) ?? '', /B-1\/version-1\.json$/, 'only then readers find the version');

  server.requests.length = 0;
  const other = machine();
  const [found = assert.fail()] = await other.folders('B-1');
  assert.deepEqual([found.dir, found.version, found.keptAs], [made.dir, 1, '']);
  assert.deepEqual(found.files.map(({ name }) => name).sort(), [...made.files].sort());
  const { dir, version, is_new } = await write(other);
  assert.deepEqual([dir, version, is_new], [made.dir, 1, false]);
  const stored = server.requests.filter((one) => one.startsWith('PUT reports/B-1/'));
  assert.deepEqual(stored, ['PUT reports/B-1/version-1.json'], 'the condition keeps it as it is');
});

test('a later change makes a new version that says what differs, and the earlier one stays', async (t) => {
  const { server, db, machine, write } = await batchAndBucket(t);
  const first = await write();
  const before = new Map([...server.objects].map(([key, { body }]) => [key, body]));
  await giveBack(db, 2);
  const second = await write();
  assert.deepEqual([second.version, second.is_new, second.previous?.version], [2, true, 1]);
  assert.deepEqual(second.difference?.late, { 'row.refund': 1 });
  for (const [key, body] of before) assert.deepEqual(server.objects.get(key)?.body, body, key);
  await giveBack(db, 3);
  const third = await write();
  assert.deepEqual(third.difference?.late, { 'row.refund': 1 }, 'since the second version only');
  const folders = await machine().folders('B-1');
  assert.deepEqual(
    folders.map(({ dir, version, keptAs }) => [dir, version, keptAs]),
    [
      [third.dir, 3, ''],
      [second.dir, 2, `versions/2-as-of-${second.as_of.slice(0, 10)}`],
      [first.dir, 1, `versions/1-as-of-${first.as_of.slice(0, 10)}`],
    ],
  );
  for (const { dir } of folders) assert.deepEqual(await findingsOf(t, server, dir), []);
});

test('a machine that is killed at any request leaves nothing that a reader takes for whole', async (t) => {
  const { server, db, machine, write } = await batchAndBucket(t);
  await write();
  await giveBack(db, 2);
  const lying = new Map(server.objects);
  for (let killedAt = 1; ; killedAt++) {
    server.objects.clear();
    for (const [key, one] of lying) server.objects.set(key, one);
    let puts = 0;
    server.before = (request) => {
      if (request.startsWith('PUT ')) puts += 1;
      return puts >= killedAt ? 403 : undefined;
    };
    const isDone = await write().then(
      () => true,
      ({ code }) => assert.equal(code, 'FOLDER_UNWRITABLE'),
    );
    server.before = () => undefined;
    const folders = await machine().folders('B-1');
    assert.deepEqual(
      folders.map(({ dir, version }) => [version, isWhole(server, dir)]),
      isDone
        ? [
            [2, true],
            [1, true],
          ]
        : [[1, true]],
    );
    if (isDone) return assert.ok(killedAt > 10, `${killedAt} files`);
  }
});

test('what a killed machine has stored is not stored again', async (t) => {
  const { server, write } = await batchAndBucket(t);
  server.before = (request) => (request.endsWith('manifest.json') ? 403 : undefined);
  await assert.rejects(write(), { code: 'FOLDER_UNWRITABLE' });
  server.before = () => undefined;
  server.requests.length = 0;
  const { dir } = await write();
  const stored = server.requests
    .filter((one) => one.startsWith('PUT reports/B-1/'))
    .map((one) => one.slice(one.lastIndexOf('/') + 1));
  assert.deepEqual(stored, ['manifest.json', 'version-1.json']);
  assert.equal(isWhole(server, dir), true);
});

test('of two machines that publish a version at once, the second finds what the first one has published', async (t) => {
  const { server, db, machine, write, work } = await batchAndBucket(t);
  const same = await Promise.all([write(), write()]);
  assert.deepEqual([same[0].version, same[0].dir], [same[1].version, same[1].dir]);
  assert.equal(keysOf(server).filter((key) => key.endsWith('.json') && !key.includes('/')).length, 1);

  await giveBack(db, 2);
  // The second machine has made its files when the head is anchored and the first one publishes.
  let calls = 0;
  const late = await machine().write('B-1', async (outDir) => {
    const made = await work(outDir);
    if (++calls > 1) return made;
    await anchorHead(db, 'file elsewhere');
    assert.equal((await write()).version, 2);
    return made;
  });
  assert.equal(calls, 2);
  const folders = await machine().folders('B-1');
  assert.equal(late.dir, folders[0]?.dir);
  for (const { dir } of folders) assert.deepEqual(await findingsOf(t, server, dir), []);
});

test('reports of an open batch are replaced, and removed once they are', async (t) => {
  const { server, db, write } = await batchAndBucket(t);
  await db.execute(`UPDATE batches SET status = 'running'`);
  const open = await write();
  assert.match(open.dir, /B-1\/open-[0-9a-f]{16}$/);
  assert.equal(open.version, null);
  await giveBack(db, 2);
  const next = await write();
  assert.notEqual(next.dir, open.dir);
  const folders = () => new Set(keysOf(server).flatMap((key) => (key.includes('/') ? [dirname(key)] : [])));
  assert.deepEqual([...folders()], [next.dir.slice('s3://payouts/reports/B-1/'.length)]);
  await db.execute(`UPDATE batches SET status = 'completed'`);
  const whole = await write();
  assert.deepEqual([...folders()], [whole.dir.slice('s3://payouts/reports/B-1/'.length)]);
});

test('files that a killed machine left are removed after a day, if no version names them', async (t) => {
  const { server, db, write, pass } = await batchAndBucket(t);
  await write();
  server.objects.set('reports/B-1/version-2-0000000000000000/results.csv', { body: Buffer.from('x'), at: new Date() });
  const isLeft = () => keysOf(server).some((key) => key.startsWith('version-2-0000'));
  await giveBack(db, 2);
  await write();
  assert.equal(isLeft(), true, 'its machine may still be at work');
  pass(dayMs + 1_000);
  await write();
  assert.equal(isLeft(), false);
});

test('a version that somebody has changed is told, and neither replaced nor removed', async (t) => {
  const { server, db, write, pass } = await batchAndBucket(t);
  const { dir } = await write();
  const key = 'reports/B-1/version-1.json';
  const { body, at } = server.objects.get(key) ?? assert.fail();
  server.objects.set(key, { body: Buffer.from(body.toString().replace('completed', 'cancelled')), at });
  pass(2 * dayMs);
  await assert.rejects(write(), /version-1\.json is not what was published as version 1/);
  await giveBack(db, 2);
  assert.equal((await write()).version, 2);
  assert.equal(isWhole(server, dir), true, 'whoever looks at it finds its files');
  assert.match(server.objects.get(key)?.body.toString() ?? '', /cancelled/);
});

test('the newest version is asked for once, and again if it is not enough', async (t) => {
  const { server, db, machine, write } = await batchAndBucket(t);
  const store = machine();
  assert.equal(await store.newest('B-1', anything), null);
  await write();
  const newest = await store.newest('B-1', anything);
  server.requests.length = 0;
  assert.deepEqual(await store.newest('B-1', () => true), newest);
  assert.deepEqual(server.requests, []);
  await giveBack(db, 2);
  await write();
  const events = newest?.events ?? 0;
  assert.ok(((await store.newest('B-1', (one) => one.events > events))?.events ?? 0) > events);
  const own = await write(store);
  server.requests.length = 0;
  assert.equal((await store.newest('B-1', () => true))?.as_of, own.as_of);
  assert.deepEqual(server.requests, []);
});

test('a store that does not know conditional writes is found when it is checked, and nothing is published there', async (t) => {
  const { server, machine, write } = await batchAndBucket(t);
  await machine().check();
  await machine().check();
  server.before = (request) => {
    if (request.startsWith('PUT')) server.objects.clear();
    return undefined;
  };
  const says = { code: 'FOLDER_UNWRITABLE', message: /although "If-None-Match: \*" forbids it/ };
  await assert.rejects(machine().check(), says);
  const store = machine();
  for (const _ of [1, 2]) await assert.rejects(write(store), says);
  assert.deepEqual([...server.objects.keys()], ['reports/.airbatch-check']);
  server.before = () => undefined;
  assert.equal((await write(store)).version, 1, 'another store has taken its place');
});
