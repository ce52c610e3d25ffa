import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { AirbatchError } from '../../../../src/core/basics/errors.ts';
import { openSqlite } from '../../../../src/ledger/drivers/sqlite/sqlite.ts';
import { folderOf } from '../../../support/folder.ts';
import { isSettled, slowDisk } from '../../../support/slow-disk.ts';

const folder = folderOf({ after });

async function openTable(name: string, options: Parameters<typeof openSqlite>[1] = {}) {
  const db = openSqlite(join(folder, name), options);
  await db.execute('CREATE TABLE notes (note TEXT NOT NULL)');
  const add = (note: string) => db.transact((tx) => tx.execute('INSERT INTO notes (note) VALUES (?)', [note]));
  const notes = async () => (await db.query<{ note: string }>('SELECT note FROM notes')).map(({ note }) => note).sort();
  return { db, add, notes };
}

/** Counts the commits of all connections. */
function countCommits(t: TestContext): () => number {
  let commits = 0;
  const { exec } = DatabaseSync.prototype;
  t.mock.method(DatabaseSync.prototype, 'exec', function (this: DatabaseSync, sql: string) {
    if (sql === 'COMMIT') commits += 1;
    exec.call(this, sql);
  });
  return () => commits;
}

test('transactions that are asked for at the same time are committed together', async (t) => {
  const { db, add, notes } = await openTable('together.db');
  const commits = countCommits(t);
  const names = Array.from({ length: 50 }, (_, number) => `note-${number}`);
  await Promise.all(names.map(add));
  assert.ok(commits() <= 2, `${commits()}`);
  assert.deepEqual(await notes(), names.sort());
  await db.close();
});

test('transactions that come while the disk stores another one are committed together', async (t) => {
  const disk = slowDisk();
  const path = 'storing.db';
  const opening = openTable(path, { syncFile: disk.syncFile, groupsApartMs: 50 });
  await turn();
  disk.take();
  const { db, add } = await opening;
  const commits = countCommits(t);
  const first = add('first');
  await turn();
  const later = [add('second')];
  await turn();
  later.push(add('third'));
  while (commits() < 2) await turn();
  const all = Promise.all([first, ...later]);
  while (!(await isSettled(all))) disk.take();
  assert.equal(commits(), 2);
  await db.close();
});

test('transactions one after another are committed one by one', async (t) => {
  const { db, add } = await openTable('alone.db');
  const commits = countCommits(t);
  for (const note of ['one', 'two', 'three']) await add(note);
  assert.equal(commits(), 3);
  await db.close();
});

test('transactions that take long together do not keep the program from other events', async () => {
  const { db, notes } = await openTable('long.db');
  const begun = performance.now();
  const names = Array.from({ length: 40 }, (_, number) => `note-${number}`);
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 1);
  await Promise.all(
    names.map((note) =>
      db.transact(async (tx) => {
        const until = performance.now() + 5;
        while (performance.now() < until);
        return tx.execute('INSERT INTO notes (note) VALUES (?)', [note]);
      }),
    ),
  );
  clearInterval(counting);
  assert.ok(performance.now() - begun >= 200);
  assert.ok(turns >= 5, `${turns} turns`);
  assert.deepEqual(await notes(), names.sort());
  await db.close();
});

test('a fault of the database fails all transactions of its group, and leaves nothing of them', async () => {
  const { db, add, notes } = await openTable('fault.db');
  await add('first');
  const full = new AirbatchError('LEDGER_FULL', 'the disk is full');
  const settled = await Promise.allSettled([
    add('lost'),
    db.transact(async () => {
      throw full;
    }),
    add('lost as well'),
  ]);
  assert.deepEqual(
    settled.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  );
  assert.deepEqual(await notes(), ['first']);
  await add('second');
  assert.deepEqual(await notes(), ['first', 'second']);
  await db.close();
});

test('nobody learns of a group before the disk has it', async () => {
  const disk = slowDisk();
  let isSlow = false;
  const syncFile = (descriptor: number) => (isSlow ? disk.syncFile(descriptor) : Promise.resolve());
  const { db, add } = await openTable('slow.db', { syncFile });
  isSlow = true;
  const group = ['one', 'two', 'three'].map(add);
  while (disk.waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(await Promise.all(group.map(isSettled)), [false, false, false]);
  isSlow = false;
  disk.take();
  await Promise.all(group);
  await db.close();
});
