import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import type { Database } from '../../src/ledger/database.ts';
import { openSqlite } from '../../src/ledger/sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'airbatch-checkpointer-'));
after(() => rmSync(folder, { recursive: true }));

/** What a page of the log takes, and what `wal_autocheckpoint` lets it grow to. */
const pageBytes = 4_096 + 24;
const logPages = 4_000;
const writer = join(import.meta.dirname, 'endless-writer.ts');
const waitMsMax = 20_000;

async function open(path: string): Promise<Database> {
  const db = openSqlite(path);
  db.checkpointBeside();
  await db.execute('CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY, text TEXT NOT NULL)');
  return db;
}

/** Commits of a good 20 pages each, and a turn of the event loop after each, as in any program. */
async function commit(db: Database, from: number, count: number): Promise<void> {
  for (let n = from; n < from + count; n++) {
    await db.transact((tx) => tx.execute('INSERT INTO t (n, text) VALUES (?, ?)', [n, String(n % 10).repeat(80_000)]));
    await setImmediate();
  }
}

/** The log as another connection sees it. */
function logOf(path: string): { log: number; checkpointed: number } {
  const other = new DatabaseSync(path);
  try {
    const { log, checkpointed } = other.prepare('PRAGMA wal_checkpoint(NOOP)').get() ?? {};
    return { log: Number(log), checkpointed: Number(checkpointed) };
  } finally {
    other.close();
  }
}

async function until(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + waitMsMax;
  while (!isSo()) {
    assert.ok(performance.now() < deadline, 'it takes too long');
    await sleep(5);
  }
}

/** The threads that are started while `work` runs. */
async function threadsOf(work: () => Promise<void>): Promise<Worker[]> {
  const threads: Worker[] = [];
  const note = (thread: Worker) => threads.push(thread);
  process.on('worker', note);
  try {
    await work();
  } finally {
    process.off('worker', note);
  }
  return threads;
}

/** Whether it has ended since. */
function endOf(thread: Worker): () => boolean {
  let isOver = false;
  thread.once('exit', () => {
    isOver = true;
  });
  return () => isOver;
}

const wal = (path: string) => `${path}-wal`;

async function assertWhole(path: string, rows: number): Promise<void> {
  const db = await open(path);
  assert.deepEqual(await db.query('PRAGMA integrity_check'), [{ integrity_check: 'ok' }]);
  const [found] = await db.query<{ count: number; last: number; characters: number }>(
    'SELECT COUNT(*) AS count, MAX(n) AS last, SUM(LENGTH(text)) AS characters FROM t',
  );
  assert.deepEqual(found, { count: rows, last: rows - 1, characters: rows * 80_000 });
  await db.close();
}

describe('the checkpointer', () => {
  test('brings a long log into the database while the writer does nothing, and a later commit begins it anew', async () => {
    const path = join(folder, 'beside.db');
    const db = await open(path);
    await commit(db, 0, 150);
    await until(() => logOf(path).checkpointed >= 3_000);
    // What came during a pass is left for the next one, which the next commit asks for.
    let rows = 150;
    for (; logOf(path).log > 3_000; rows++) {
      await commit(db, rows, 1);
      await sleep(20);
    }
    assert.ok(statSync(wal(path)).size < logPages * pageBytes, 'the writer itself would have begun later');
    await db.close();
    await assertWhole(path, rows);
  });

  test('lets the log not grow, whatever is committed', async () => {
    const path = join(folder, 'steady.db');
    const db = await open(path);
    const threads = await threadsOf(() => commit(db, 0, 1_500));
    assert.equal(threads.length, 1);
    assert.ok(statSync(wal(path)).size < 2 * logPages * pageBytes);
    await db.close();
    await assertWhole(path, 1_500);
  });

  test('is not begun for a ledger that sees little', async () => {
    const db = await open(join(folder, 'little.db'));
    assert.deepEqual(await threadsOf(() => commit(db, 0, 100)), []);
    await db.close();
  });

  test('is not begun where nobody has said that many commits come', async () => {
    const db = openSqlite(join(folder, 'unasked.db'));
    await db.execute('CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT NOT NULL)');
    assert.deepEqual(await threadsOf(() => commit(db, 0, 200)), []);
    await db.close();
  });

  test('is gone when the ledger is closed, and the log with it', async () => {
    const path = join(folder, 'closed.db');
    const db = await open(path);
    const [thread] = await threadsOf(() => commit(db, 0, 160));
    assert.ok(thread);
    const isOver = endOf(thread);
    await db.close();
    assert.ok(isOver());
    assert.ok(!existsSync(wal(path)));
  });

  test('is not missed when it has died: the writer does by itself what it would have done', async () => {
    const path = join(folder, 'died.db');
    const db = await open(path);
    const die = (thread: Worker) => {
      thread.emit('error', new Error('it has failed'));
      void thread.terminate();
    };
    process.once('worker', die);
    const threads = await threadsOf(() => commit(db, 0, 960));
    assert.equal(threads.length, 1);
    assert.ok(statSync(wal(path)).size < 2 * logPages * pageBytes);
    await db.close();
    await assertWhole(path, 960);
  });

  test('is gone while the database is written anew, so that nothing stays in the log, and comes back', async () => {
    const path = join(folder, 'compact.db');
    const db = await open(path);
    for (let round = 0; round < 3; round++) {
      const [thread] = await threadsOf(() => commit(db, round * 200, 200));
      assert.ok(thread);
      const isOver = endOf(thread);
      await db.execute("UPDATE t SET text = 'forgotten'");
      await db.compact();
      assert.ok(isOver());
      assert.equal(statSync(wal(path)).size, 0);
      assert.ok(!readFileSync(path).includes('7777777777'));
    }
    await db.close();
  });

  test('keeps no process alive', async () => {
    const child = spawn(process.execPath, [writer, join(folder, 'left.db'), '400'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [code] = await once(child, 'exit');
    assert.equal(code, 0);
  });

  test('leaves a ledger that opens whole, with all that was committed, whenever the process is killed', async () => {
    const path = join(folder, 'killed.db');
    for (const afterMs of [50, 110, 230]) {
      const child = spawn(process.execPath, [writer, path, 'endless'], { stdio: ['ignore', 'pipe', 'inherit'] });
      let acknowledged = -1;
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        acknowledged = Number(/(\d+)\n[^\n]*$/.exec(said)?.[1] ?? acknowledged);
      });
      await until(() => said.includes('thread\n'));
      await sleep(afterMs);
      child.kill('SIGKILL');
      await once(child, 'close');
      const db = await open(path);
      assert.deepEqual(await db.query('PRAGMA integrity_check'), [{ integrity_check: 'ok' }]);
      const [found] = await db.query<{ count: number; last: number }>(
        'SELECT COUNT(*) AS count, MAX(n) AS last FROM t',
      );
      assert.ok(found);
      assert.equal(found.count, found.last + 1);
      assert.ok(acknowledged > 0 && found.last >= acknowledged, `${found.last} of ${acknowledged}`);
      await db.close();
    }
  });
});
