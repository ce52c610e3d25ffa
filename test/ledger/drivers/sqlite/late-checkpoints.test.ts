import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../../../../src/ledger/drivers/database.ts';
import { usualCheckpoints } from '../../../../src/ledger/drivers/sqlite/checkpoints.ts';
import { openSqlite } from '../../../../src/ledger/drivers/sqlite/sqlite.ts';
import { folderOf } from '../../../support/folder.ts';

const folder = folderOf({ after });
const never = 3_600_000;

/** A ledger with one row, whose log is brought into the database `lateMs` after a commit. */
async function ledgerAt(name: string, lateMs: number, options: Parameters<typeof openSqlite>[1] = {}) {
  const path = join(folder, name);
  const db = openSqlite(path, { ...options, checkpoints: { ...usualCheckpoints, lateMs } });
  await db.execute('CREATE TABLE t (n INTEGER PRIMARY KEY)');
  await add(db);
  return { db, path };
}

async function add(db: Database): Promise<void> {
  await db.transact((tx) => tx.execute('INSERT INTO t DEFAULT VALUES'));
}

/** Rows in a copy of the database without its log; none while the table is in the log as well. */
function rowsInCopy(path: string): number {
  const copy = `${path}.copy`;
  copyFileSync(path, copy);
  const database = new DatabaseSync(copy);
  try {
    return Number(database.prepare('SELECT COUNT(*) AS count FROM t').get()?.count);
  } catch {
    return 0;
  } finally {
    database.close();
  }
}

async function untilInCopy(path: string, rows: number): Promise<void> {
  for (const end = performance.now() + 60_000; rowsInCopy(path) < rows; await wait(10))
    assert.ok(performance.now() < end, `${rowsInCopy(path)} of ${rows} rows are in the database`);
}

/** Counts the checkpoints of this process from here on. */
function countCheckpoints(t: TestContext): () => number {
  const { mock } = t.mock.method(DatabaseSync.prototype, 'exec');
  return () => mock.calls.filter(({ arguments: [sql] }) => sql.includes('wal_checkpoint')).length;
}

describe('a short write-ahead log', () => {
  test('is checkpointed a while after a commit, once, and not again before the next one', async (t) => {
    const count = countCheckpoints(t);
    const { db, path } = await ledgerAt('quiet.db', 50);
    await untilInCopy(path, 1);
    await wait(300);
    const done = count();
    assert.ok(done <= 2, `${done} checkpoints for what was written in a moment`);
    await wait(300);
    assert.equal(count(), done, 'an idle ledger has nothing to do');
    await add(db);
    await untilInCopy(path, 2);
    await db.close();
  });

  test('is checkpointed even while commits continue', async () => {
    const { db, path } = await ledgerAt('steady.db', 100);
    for (const end = performance.now() + 60_000; rowsInCopy(path) === 0; await wait(10)) {
      assert.ok(performance.now() < end, 'nothing was brought in');
      await add(db);
    }
    await db.close();
  });

  test('is checkpointed at the end of a program while another has the ledger open', async () => {
    const { db, path } = await ledgerAt('close.db', never);
    const other = openSqlite(path);
    await other.query('SELECT COUNT(*) FROM t');
    assert.equal(rowsInCopy(path), 0);
    await db.close();
    assert.equal(rowsInCopy(path), 1);
    await other.close();
  });

  test('is left to its writers by a program that only reads', async (t) => {
    const { db, path } = await ledgerAt('reader.db', never);
    const count = countCheckpoints(t);
    const other = openSqlite(path);
    await other.query('SELECT COUNT(*) FROM t');
    await other.close();
    assert.equal(count(), 0);
    await db.close();
  });

  test('is tried again if somebody read it meanwhile', async () => {
    const { db, path } = await ledgerAt('read.db', 50);
    await untilInCopy(path, 1);
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec('BEGIN; SELECT COUNT(*) FROM t');
    await add(db);
    await add(db);
    await wait(300);
    assert.equal(rowsInCopy(path), 1, 'what is read stays as it is');
    reader.close();
    await untilInCopy(path, 3);
    await db.close();
  });

  test('waits for an open transaction, even if that is rolled back', async () => {
    const { db, path } = await ledgerAt('open.db', 50);
    await untilInCopy(path, 1);
    await add(db);
    const given = db.transact(async (tx) => {
      await tx.execute('INSERT INTO t DEFAULT VALUES');
      await wait(300);
      throw new Error('given up');
    });
    await assert.rejects(given, /given up/);
    await untilInCopy(path, 2);
    await db.close();
  });

  for (const [when, waitMs] of [
    ['when its time has come', 300],
    ['at the end of the program', 0],
  ] as const) {
    test(`is not checkpointed after the disk has refused it: ${when}`, async (t) => {
      let refuses = false;
      const syncFile = async () => {
        if (refuses) throw new Error('EIO');
      };
      const { db, path } = await ledgerAt(`refused-${waitMs}.db`, 100, { syncFile });
      await untilInCopy(path, 1);
      await wait(200);
      const other = openSqlite(path);
      refuses = true;
      const count = countCheckpoints(t);
      await assert.rejects(add(db), { code: 'LEDGER_SYNC' });
      await wait(waitMs);
      await db.close();
      assert.deepEqual([count(), rowsInCopy(path)], [0, 1]);
      await other.close();
    });
  }

  test('is not written into a moved ledger, nor into the file in its place', async (t) => {
    const { db, path } = await ledgerAt('moved.db', 1_000);
    const count = countCheckpoints(t);
    const moved = join(folder, 'elsewhere.db');
    for (const suffix of ['', '-wal', '-shm']) renameSync(`${path}${suffix}`, `${moved}${suffix}`);
    const before = readFileSync(moved);
    copyFileSync(moved, path);
    await wait(1_500);
    assert.equal(count(), 0);
    assert.deepEqual([readFileSync(moved), readFileSync(path)], [before, before]);
    await db.close();
    assert.deepEqual(readFileSync(path), before);
  });

  // Kept alive, it would live for the hour until the checkpoint.
  test('does not keep an idle process alive', { timeout: 300_000 }, async (t) => {
    const at = (file: string) =>
      JSON.stringify(new URL(`../../../../src/ledger/drivers/sqlite/${file}`, import.meta.url).href);
    const code = `const { openSqlite } = await import(${at('sqlite.ts')});
      const { usualCheckpoints } = await import(${at('checkpoints.ts')});
      const checkpoints = { ...usualCheckpoints, lateMs: ${never} };
      await openSqlite(${JSON.stringify(join(folder, 'unclosed.db'))}, { checkpoints }).execute('CREATE TABLE t (n)');`;
    const program = spawn(process.execPath, ['--input-type=module', '--eval', code], { stdio: 'inherit' });
    t.after(() => program.kill('SIGKILL'));
    assert.deepEqual(await once(program, 'exit'), [0, null]);
  });
});
