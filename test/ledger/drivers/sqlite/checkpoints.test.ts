import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Database } from '../../../../src/ledger/drivers/database.ts';
import { openSqlite } from '../../../../src/ledger/drivers/sqlite/sqlite.ts';
import { folderOf } from '../../../support/folder.ts';
import { soonLong } from './busy-writer.ts';

const folder = folderOf({ after });

/** Some five pages of the log each. */
async function writeMany(db: Database, transactions: number): Promise<void> {
  for (let n = 0; n < transactions; n++) {
    await db.transact((tx) => tx.execute('INSERT INTO t (text) VALUES (?)', ['x'.repeat(16_000)]));
  }
}

/** Pages of the log that are not in the database yet, as another connection sees them. */
function pagesWaiting(path: string): number {
  const { log, checkpointed } = measured(path);
  return log - checkpointed;
}

/** Pages of the log, and those of them that are in the database. */
function measured(path: string): { log: number; checkpointed: number } {
  const other = new DatabaseSync(path, { readOnly: true });
  // It learns what the log is from its first read.
  other.prepare('SELECT COUNT(*) FROM t').get();
  const { log, checkpointed } = other.prepare('PRAGMA wal_checkpoint(NOOP)').get() ?? {};
  other.close();
  return { log: Number(log), checkpointed: Number(checkpointed) };
}

/** Threads that were started, and those of them that have not ended. */
let started = 0;
let threads = 0;
process.on('worker', (worker) => {
  started += 1;
  threads += 1;
  worker.once('exit', () => {
    threads -= 1;
  });
});

async function noThread(): Promise<void> {
  const until = performance.now() + 60_000;
  while (threads > 0) {
    assert.ok(performance.now() < until, `${threads} threads have not ended`);
    await wait(20);
  }
}

async function ledgerAt(name: string, options?: Parameters<typeof openSqlite>[1]) {
  const path = join(folder, name);
  const db = openSqlite(path, options);
  await db.execute('CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)');
  return { db, path };
}

describe('a checkpoint of the write-ahead log', () => {
  test('happens with a commit that makes the log long, and not before', async () => {
    const { db, path } = await ledgerAt('few.db', { checkpoints: { ...soonLong, shareMin: Number.POSITIVE_INFINITY } });
    await writeMany(db, 5);
    assert.ok(pagesWaiting(path) > 20, 'a short log is left as it is');
    await writeMany(db, 5);
    assert.ok(pagesWaiting(path) < 20, 'a long one is not');
    await db.close();
  });

  test('moves to a thread if the log grows fast', async () => {
    const { db, path } = await ledgerAt('busy.db', { checkpoints: soonLong });
    await writeMany(db, 200);
    // The commits themselves would do it for a log of 10,000 pages alone.
    const until = performance.now() + 60_000;
    while (pagesWaiting(path) >= soonLong.threadPages) {
      assert.ok(performance.now() < until, `${pagesWaiting(path)} pages wait`);
      await wait(20);
      await writeMany(db, 1);
    }
    await db.close();
    assert.equal(existsSync(`${path}-wal`), false, 'the thread has closed its connection');
    assert.equal(new DatabaseSync(path).prepare('PRAGMA quick_check').get()?.quick_check, 'ok');
  });

  test('lets its thread end when there is nothing to do, and starts it again later', async () => {
    const { db, path } = await ledgerAt('idle.db', { checkpoints: { ...soonLong, idleMs: 50 } });
    for (let round = 0; round < 2; round++) {
      const before = started;
      for (let more = 0; more < 5; more++) {
        await writeMany(db, 20);
        await wait(20);
      }
      assert.ok(started > before);
      await noThread();
    }
    await db.close();
    assert.equal(existsSync(`${path}-wal`), false);
  });

  test('lets its thread end even if it was never needed', async () => {
    const { db } = await ledgerAt('unneeded.db', { checkpoints: { ...soonLong, idleMs: 50, threadPages: 1_000 } });
    const before = started;
    await writeMany(db, 25);
    assert.ok(started > before);
    await noThread();
    await db.close();
  });

  test('delays commits if the thread is slow, so that the log stays limited', async (t) => {
    const slowly = (worker: Worker) => {
      const post = worker.postMessage.bind(worker);
      worker.postMessage = (message: unknown) => void setTimeout(post, 100, message);
    };
    process.once('worker', slowly);
    const { db, path } = await ledgerAt('slow.db', { checkpoints: { ...soonLong, behindPages: 200 } });
    await writeMany(db, 25);
    assert.equal(threads, 1);
    const run = t.mock.method(DatabaseSync.prototype, 'exec');
    for (let round = 0; round < 10; round++) {
      await writeMany(db, 20);
      const { log } = measured(path);
      assert.ok(log < 220, `${log} pages in the log`);
    }
    const done = run.mock.calls.filter((call) => call.arguments[0].includes('wal_checkpoint'));
    assert.equal(done.length, 0, 'nothing else waits with them');
    await db.close();
  });

  test('does not delay commits while somebody reads, and the log starts again after that', async () => {
    const { db, path } = await ledgerAt('read.db', { checkpoints: { ...soonLong, behindPages: 200 } });
    await db.snapshot(async (view) => {
      await writeMany(db, 100);
      assert.ok(measured(path).log > 500, 'what is read stays');
      assert.deepEqual(await view.query('SELECT * FROM t'), []);
    });
    await writeMany(db, 2);
    assert.ok(measured(path).log < 200);
    await db.close();
  });

  test('that fails leaves the commit valid', async (t) => {
    const { db } = await ledgerAt('full.db', { checkpoints: { ...soonLong, shareMin: Number.POSITIVE_INFINITY } });
    const exec = DatabaseSync.prototype.exec;
    t.mock.method(DatabaseSync.prototype, 'exec', function (this: DatabaseSync, sql: string) {
      if (sql.includes('wal_checkpoint')) throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
      exec.call(this, sql);
    });
    await writeMany(db, 20);
    assert.deepEqual(await db.query('SELECT COUNT(*) AS count FROM t'), [{ count: 20 }]);
    await db.close();
  });

  test('makes no new ledger if the file was moved, and writes nothing more into the moved one', async () => {
    const { db, path } = await ledgerAt('moved.db');
    await writeMany(db, 20);
    const moved = join(folder, 'elsewhere.db');
    for (const suffix of ['', '-wal', '-shm']) renameSync(`${path}${suffix}`, `${moved}${suffix}`);
    const before = started;
    await assert.rejects(writeMany(db, 1), { code: 'LEDGER_REPLACED' });
    assert.equal(started, before);
    assert.equal(existsSync(path), false);
    await db.close();
    assert.equal(existsSync(path), false);
  });

  test('leaves a file that replaced the ledger unchanged', async () => {
    const { db, path } = await ledgerAt('replaced.db', {
      checkpoints: { ...soonLong, shareMin: Number.POSITIVE_INFINITY },
    });
    await writeMany(db, 100);
    await db.close();
    const again = openSqlite(path, { checkpoints: soonLong });
    const backup = join(folder, 'backup.db');
    copyFileSync(path, backup);
    const before = readFileSync(backup);
    renameSync(backup, path);
    await assert.rejects(writeMany(again, 1), { code: 'LEDGER_REPLACED' });
    assert.deepEqual(readFileSync(path), before);
    await again.close();
    assert.deepEqual(readFileSync(path), before);
  });

  test('neither waits for nor delays a program that rewrites the database', async () => {
    const { db, path } = await ledgerAt('anew.db', { checkpoints: soonLong });
    for (let round = 0; round < 5; round++) {
      await writeMany(db, 20);
      await db.emptyLog();
      assert.equal(pagesWaiting(path), 0);
      await db.compact();
      assert.equal(pagesWaiting(path), 0);
    }
    await db.close();
  });

  test('that empties the log waits for the snapshots of its process, and blocks nobody meanwhile', async () => {
    const { db, path } = await ledgerAt('snapshot.db');
    await writeMany(db, 5);
    const read = Promise.withResolvers<void>();
    const snapshot = db.snapshot(() => read.promise);
    await writeMany(db, 5);
    const emptied = [db.emptyLog(), db.compact()];
    await writeMany(db, 1);
    read.resolve();
    await Promise.all([snapshot, ...emptied]);
    assert.equal(statSync(`${path}-wal`).size, 0);
    await db.close();
  });

  test('that cannot empty the log, since another process reads it, is reported', async () => {
    const { db, path } = await ledgerAt('other.db', { busyTimeoutMs: 20 });
    await writeMany(db, 5);
    const other = new DatabaseSync(path, { readOnly: true });
    other.exec('BEGIN; SELECT COUNT(*) FROM t');
    await writeMany(db, 5);
    await assert.rejects(db.emptyLog(), { code: 'LEDGER_BUSY' });
    await assert.rejects(db.compact(), { code: 'LEDGER_BUSY' });
    other.close();
    await db.emptyLog();
    assert.equal(statSync(`${path}-wal`).size, 0);
    await db.close();
  });

  test('that empties the log waits for the checkpoint of another program', {
    timeout: 600_000,
  }, async () => {
    const { db, path } = await ledgerAt('beside.db', { busyTimeoutMs: 10_000 });
    await writeMany(db, 5);
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec('BEGIN; SELECT COUNT(*) FROM t');
    await writeMany(db, 5);
    // It is at it for as long as the reader reads: whoever comes meanwhile is sent away at once, whatever its busy
    // timeout.
    const other = new Worker(
      `const { DatabaseSync } = require('node:sqlite');
       const database = new DatabaseSync(require('node:worker_threads').workerData, { timeout: 20_000 });
       database.exec('PRAGMA wal_checkpoint(RESTART)');
       database.close();`,
      { eval: true, workerData: path },
    );
    const done = once(other, 'exit');
    const probe = new DatabaseSync(path);
    const isAtIt = () => probe.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()?.busy === 1;
    while (!isAtIt()) await wait(5);
    probe.close();
    let emptied = false;
    const emptying = db.emptyLog().then(() => {
      emptied = true;
    });
    await wait(100);
    assert.equal(emptied, false);
    reader.close();
    await Promise.all([emptying, done]);
    assert.equal(statSync(`${path}-wal`).size, 0);
    await db.close();
  });

  test('loses nothing of the committed data if the process is killed', { timeout: 600_000 }, async () => {
    const path = join(folder, 'killed.db');
    let told = 0;
    for (let life = 0; life < 8; life++) {
      const when = life % 2 === 0 ? 'long' : 'late';
      const writer = spawn(process.execPath, [join(import.meta.dirname, 'busy-writer.ts'), path, when], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const enough = told + 30 + 17 * life;
      told = await lastTold(writer, enough);
      assert.ok(told >= enough, `it ended by itself after ${told} commits`);
      const db = openSqlite(path);
      const [row] = await db.query<{ most: number; count: number }>('SELECT MAX(n) AS most, COUNT(*) AS count FROM t');
      assert.ok(row && row.most >= told, `${row?.most} of ${told}`);
      assert.equal(row.count, row.most);
      assert.deepEqual(await db.query('PRAGMA integrity_check'), [{ integrity_check: 'ok' }]);
      await db.close();
    }
  });
});

/** Kills the writer when it has told of this number as durable, and brings the last one of which it told. */
async function lastTold(writer: ChildProcess, enough: number): Promise<number> {
  assert.ok(writer.stdout);
  let last = 0;
  const lines = createInterface({ input: writer.stdout });
  lines.on('line', (line) => {
    last = Number(line);
    if (last >= enough) writer.kill('SIGKILL');
  });
  await Promise.all([once(writer, 'exit'), once(lines, 'close')]);
  return last;
}
