import assert from 'node:assert/strict';
import { fstatSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { openSqlite } from '../../../../src/ledger/drivers/sqlite/sqlite.ts';
import { folderOf } from '../../../support/folder.ts';
import { isSettled, type SlowDisk, slowDisk } from '../../../support/slow-disk.ts';

const folder = folderOf({ after });

/** A ledger on a slow disk, with an empty table in it. */
async function ledgerOn(disk: SlowDisk, name: string) {
  const path = join(folder, name);
  // Groups that wait for more transactions are the subject of group-commit.test.ts.
  const db = openSqlite(path, { syncFile: disk.syncFile, groupsApartMs: 0 });
  const created = db.execute('CREATE TABLE t (n INTEGER)');
  await turn();
  disk.take();
  await created;
  return { db, path };
}

describe('waiting for the disk', () => {
  test('a write is reported when the disk has it, and not before', async () => {
    const disk = slowDisk();
    const { db } = await ledgerOn(disk, 'told.db');
    for (const write of [
      () => db.transact((tx) => tx.execute('INSERT INTO t (n) VALUES (1)')),
      () => db.execute('INSERT INTO t (n) VALUES (2)'),
      () => db.compact(),
    ]) {
      const written: Promise<unknown> = write();
      assert.equal(await isSettled(written), false);
      disk.take();
      await written;
    }
    assert.deepEqual(await db.query('SELECT n FROM t'), [{ n: 1 }, { n: 2 }]);
    await db.close();
  });

  test('nobody sees what the disk does not have: neither a reader nor a snapshot', async () => {
    const disk = slowDisk();
    const { db, path } = await ledgerOn(disk, 'heard.db');
    const written = db.execute('INSERT INTO t (n) VALUES (1)');
    const read = db.query('SELECT n FROM t');
    assert.equal(await isSettled(read), false);
    disk.take();
    assert.deepEqual(await read, [{ n: 1 }]);
    await written;

    // What another process has committed, nobody here has waited for.
    const disk2 = slowDisk();
    const other = openSqlite(path, { syncFile: disk2.syncFile });
    const seen = other.snapshot((view) => view.query('SELECT n FROM t'));
    assert.equal(await isSettled(seen), false);
    disk2.take();
    assert.deepEqual(await seen, [{ n: 1 }]);
    await other.close();
    await db.close();
  });

  test('commits during a sync wait together for the next sync', async () => {
    const disk = slowDisk();
    const { db } = await ledgerOn(disk, 'together.db');
    const insert = () => db.transact((tx) => tx.execute('INSERT INTO t (n) VALUES (1)'));
    const first = insert();
    assert.equal(await isSettled(first), false);
    const later = [insert(), insert(), insert()];
    assert.equal(await isSettled(Promise.all(later)), false);
    assert.equal(disk.waiting.length, 1);
    disk.take();
    await first;
    assert.equal(await isSettled(Promise.race(later)), false);
    assert.equal(disk.waiting.length, 1);
    disk.take();
    assert.deepEqual(await Promise.all(later), [1, 1, 1]);
    await db.close();
  });

  test('a disk that refused once gets nothing more, whatever it answers later', async () => {
    const disk = slowDisk();
    const { db, path } = await ledgerOn(disk, 'refused.db');
    const written = db.execute('INSERT INTO t (n) VALUES (1)');
    await turn();
    disk.refuse();
    await assert.rejects(written, { code: 'LEDGER_SYNC', message: /refused\.db-wal: EIO/ });
    await assert.rejects(db.execute('INSERT INTO t (n) VALUES (2)'), { code: 'LEDGER_SYNC' });
    await assert.rejects(
      db.transact((tx) => tx.execute('INSERT INTO t (n) VALUES (3)')),
      { code: 'LEDGER_SYNC' },
    );
    await assert.rejects(db.query('SELECT n FROM t'), { code: 'LEDGER_SYNC' });
    assert.equal(disk.waiting.length, 0);
    await db.close();
    // Who opens the ledger next sees what became of it.
    const next = openSqlite(path);
    assert.deepEqual(await next.query('SELECT n FROM t'), [{ n: 1 }]);
    await next.close();
  });

  test('the file that SQLite writes is synced, also behind a link', async () => {
    const disk = slowDisk();
    mkdirSync(join(folder, 'real'));
    symlinkSync(join(folder, 'real', 'ledger.db'), join(folder, 'link.db'));
    const { db } = await ledgerOn(disk, 'link.db');
    const [descriptor = -1] = disk.descriptors;
    assert.equal(fstatSync(descriptor).ino, statSync(join(folder, 'real', 'ledger.db-wal')).ino);
    await db.close();
  });

  test('closing waits for the disk', async () => {
    const disk = slowDisk();
    const { db } = await ledgerOn(disk, 'closing.db');
    const written = db.execute('INSERT INTO t (n) VALUES (1)');
    const closed = db.close();
    assert.equal(await isSettled(closed), false);
    disk.take();
    await closed;
    assert.equal(await written, 1);
  });
});
