import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { findBatch } from '../../../../src/ledger/batches/batches.ts';
import type { Database, Queryable } from '../../../../src/ledger/drivers/database.ts';
import { openSqlite } from '../../../../src/ledger/drivers/sqlite/sqlite.ts';
import { findRow } from '../../../../src/ledger/rows/rows.ts';
import { migrate } from '../../../../src/ledger/schema/schema.ts';
import { folderOf } from '../../../support/folder.ts';
import { aBatch, addBatch, aRow } from '../../../support/ledger.ts';
import { makeVirtualClock } from '../../../support/virtual-clock.ts';

const folder = folderOf({ after });

describe('the SQLite ledger', () => {
  test('serialises transactions: nobody reads or writes inside an open one', async () => {
    const db = openSqlite(join(folder, 'serial.db'));
    await db.execute('CREATE TABLE t (n INTEGER)');
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const writing = db.transact(async (tx) => {
      await tx.execute('INSERT INTO t (n) VALUES (1)');
      await gate;
      throw new Error('undone');
    });
    const counted = db.query<{ count: number }>('SELECT COUNT(*) AS count FROM t');
    release();
    await assert.rejects(writing, /undone/);
    assert.equal((await counted)[0]?.count, 0);
    await db.close();
  });

  test('is still usable after a transaction failed', async () => {
    const db = openSqlite(join(folder, 'again.db'));
    await assert.rejects(db.transact((tx) => tx.execute('INSERT INTO nowhere (n) VALUES (1)')));
    await db.transact((tx) => tx.execute('CREATE TABLE t (n INTEGER)'));
    assert.equal(await db.execute('INSERT INTO t (n) VALUES (1), (2)'), 2);
    await db.close();
  });

  test('reads complete rows when another process adds a column meanwhile', async () => {
    const path = join(folder, 'wider.db');
    const db = openSqlite(path);
    await db.execute('CREATE TABLE t (n INTEGER, word TEXT)');
    await db.execute("INSERT INTO t (n, word) VALUES (1, 'one')");
    const read = () => db.query<Record<string, unknown>>('SELECT * FROM t');
    assert.deepEqual(await read(), [{ n: 1, word: 'one' }]);
    const other = openSqlite(path);
    await other.execute('ALTER TABLE t ADD COLUMN late INTEGER');
    await other.execute('UPDATE t SET late = 7');
    assert.deepEqual(await read(), [{ n: 1, word: 'one', late: 7 }]);
    await other.close();
    await db.close();
  });

  test('plans a statement once, whatever value is bound as its limit', async () => {
    const db = openSqlite(join(folder, 'planned.db'));
    await migrate(db);
    const page = (limit: string) =>
      `SELECT * FROM rows WHERE batch_id = ? AND row_no > ? ORDER BY row_no LIMIT ${limit}`;
    const runs = [
      { sql: page('?'), params: ['none', 0, 1], leastMs: Infinity },
      { sql: page('1'), params: ['none', 0], leastMs: Infinity },
    ];
    await db.snapshot(async (view) => {
      for (let round = 0; round < 60; round++) {
        for (const run of runs) {
          const begun = performance.now();
          for (let time = 0; time < 50; time++) await view.values(run.sql, run.params);
          run.leastMs = Math.min(run.leastMs, performance.now() - begun);
        }
      }
    });
    const [bound, written] = runs.map(({ leastMs }) => leastMs) as [number, number];
    assert.ok(bound < 3 * written, `${bound} ms with a bound limit, ${written} with a written one`);
    await db.close();
  });

  test('in memory waits for no disk, and leaves no file after a killed process', async () => {
    const before = readdirSync(tmpdir());
    const db = openSqlite('', { syncFile: () => assert.fail('waited') });
    await db.execute('CREATE TABLE t (n TEXT)');
    // More than SQLite keeps in memory.
    await db.transact(async (tx) => {
      for (let row = 0; row < 200; row++) await tx.execute('INSERT INTO t (n) VALUES (?)', ['x'.repeat(50_000)]);
    });
    assert.deepEqual(await db.snapshot((view) => view.query('SELECT COUNT(*) AS count FROM t')), [{ count: 200 }]);
    assert.deepEqual(
      readdirSync(tmpdir()).filter((name) => !before.includes(name) && /etilqs|\.db/.test(name)),
      [],
    );
    await db.close();
  });

  test('can be read only by its owner', async () => {
    const path = join(folder, 'private.db');
    await openSqlite(path).close();
    assert.equal(statSync(path).mode & 0o077, 0);
  });

  test('finds a damaged page when it is opened, not in the middle of a payout', async () => {
    const path = join(folder, 'flipped.db');
    const db = openSqlite(path);
    await db.execute('CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)');
    await db.execute('CREATE INDEX t_text ON t (text)');
    for (let n = 0; n < 2_000; n++) await db.execute('INSERT INTO t (n, text) VALUES (?, ?)', [n, `text ${n}`]);
    await db.close();
    const bytes = readFileSync(path);
    // The first page stays: with it gone, it would be no database at all.
    bytes.fill(0xa5, 5 * 4_096, 5 * 4_096 + 512);
    writeFileSync(path, bytes);
    assert.throws(() => openSqlite(path), { code: 'LEDGER_DAMAGED' });
    assert.deepEqual(readFileSync(path), bytes);
  });

  test('reports that its file is damaged, and leaves it unchanged', async () => {
    const path = join(folder, 'damaged.db');
    writeFileSync(path, 'this was never a database, whatever its name says'.repeat(100));
    assert.throws(() => openSqlite(path), { code: 'LEDGER_DAMAGED' });
    assert.equal(statSync(path).size, 4_900);
  });

  test('makes a new ledger whole, or not at all', async () => {
    const db = openSqlite(join(folder, 'new.db'));
    const failing: Database = {
      ...db,
      transact: (work, turn) =>
        db.transact((tx) => {
          const execute: Queryable['execute'] = async (sql, params) => {
            if (sql.startsWith('INSERT INTO migrations') && params?.[0] === 9) throw new Error('the disk is full');
            return tx.execute(sql, params);
          };
          return work({ ...tx, execute });
        }, turn),
    };
    await assert.rejects(migrate(failing), /the disk is full/);
    assert.deepEqual(await db.query('SELECT version FROM migrations'), []);
    await migrate(db);
    await addBatch(db, makeVirtualClock(), aBatch(), [aRow(1)]);
    await db.close();
  });

  test('refuses a ledger that a later version wrote', async () => {
    const db = openSqlite(join(folder, 'later.db'));
    await migrate(db);
    await db.execute('INSERT INTO migrations (version) VALUES (999)');
    await assert.rejects(migrate(db), { code: 'LEDGER_VERSION' });
    await db.close();
  });

  describe('of an earlier version', () => {
    /** A ledger as the version before the last migration left it, with a row that it had released. */
    async function earlier(name: string) {
      const db = openSqlite(join(folder, name));
      await migrate(db);
      await addBatch(db, makeVirtualClock(), aBatch(), [aRow(1)]);
      await db.execute('UPDATE rows SET known_until = 5000');
      await db.execute('ALTER TABLE rows RENAME COLUMN known_until TO released_at');
      // The column has had three names.
      await db.execute('DELETE FROM migrations WHERE version IN (8, 23)');
      return db;
    }

    test('rejects an older release for payments of other batches that the person had not seen', async () => {
      const db = await earlier('released.db');
      await migrate(db);
      assert.equal((await findRow(db, 'batch-1', 1))?.known_until, null);
      await db.close();
    });

    test('has batches without a deadline, and accepts one from then on', async () => {
      const db = openSqlite(join(folder, 'no-time.db'));
      await migrate(db);
      await addBatch(db, makeVirtualClock(), aBatch(), [aRow(1)]);
      await db.execute('ALTER TABLE batches DROP COLUMN finish_by');
      await db.execute('ALTER TABLE batches DROP COLUMN boosted_at');
      // The second column has had two names.
      await db.execute('DELETE FROM migrations WHERE version IN (13, 27)');
      await migrate(db);
      const batch = await findBatch(db, 'batch-1');
      assert.deepEqual([batch?.finish_by, batch?.boosted_at], [null, null]);
      await addBatch(db, makeVirtualClock(), aBatch({ batch_id: 'batch-2', finish_by: 9_000 }), []);
      assert.equal((await findBatch(db, 'batch-2'))?.finish_by, 9_000);
      await db.close();
    });

    test('is left unchanged while a program of that version works for an account', async () => {
      const db = await earlier('worked-on.db');
      await db.execute(`INSERT INTO leases (account, holder, fence, expires_at) VALUES ('main', 'host/1/2', 1, 9000)`);
      const running = { now: 8_000, isDead: () => false };
      await assert.rejects(migrate(db, running), {
        code: 'LEDGER_BUSY',
        message: /an earlier version of airbatch \(process 1 on host\) works on the ledger/,
      });
      assert.equal((await db.query('SELECT released_at FROM rows')).length, 1);
      await migrate(db, { now: 8_000, isDead: () => true });
      // What is as it should be is opened whoever works on it.
      await migrate(db, running);
      await db.close();
    });
  });

  test('reports that it is busy when another process holds it', async () => {
    const path = join(folder, 'busy.db');
    const first = openSqlite(path, { busyTimeoutMs: 50 });
    const second = openSqlite(path, { busyTimeoutMs: 50 });
    await first.execute('CREATE TABLE t (n INTEGER)');
    await first.transact(async () => {
      await assert.rejects(
        second.transact((tx) => tx.execute('INSERT INTO t (n) VALUES (1)')),
        { code: 'LEDGER_BUSY' },
      );
    });
    await first.close();
    await second.close();
  });
});
