import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openSqlite } from '../../src/ledger/drivers/sqlite/sqlite.ts';
import { folderOf } from '../support/folder.ts';
import { halfCheckpointed } from './half-checkpoint.ts';
import { makeSeededRandom } from './seeded-random.ts';

const rows = 400;

/** What SQLite finds wrong with the ledger, and how many rows it has. */
function look(path: string): string {
  const database = new DatabaseSync(path);
  try {
    const { integrity_check } = database.prepare('PRAGMA integrity_check').get() ?? {};
    return `${integrity_check}, ${database.prepare('SELECT COUNT(*) AS count FROM t').get()?.count} rows`;
  } catch (error) {
    return String(error);
  } finally {
    database.close();
  }
}

test('a database that lost power in the middle of a checkpoint is complete with its log, and damaged without it', async (t) => {
  const folder = folderOf(t);
  const path = join(folder, 'ledger.db');
  const db = openSqlite(path);
  await db.execute('CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)');
  await db.emptyLog();
  for (let n = 0; n < rows; n++) await db.execute('INSERT INTO t (text) VALUES (?)', ['x'.repeat(500)]);
  const [main, log] = [readFileSync(path), readFileSync(`${path}-wal`)];
  await db.close();
  for (let seed = 1; seed <= 10; seed++) {
    const half = halfCheckpointed(join(folder, 'scratch.db'), main, log, makeSeededRandom(seed));
    const [withLog, without] = [join(folder, `with-${seed}.db`), join(folder, `without-${seed}.db`)];
    writeFileSync(withLog, half);
    writeFileSync(`${withLog}-wal`, log);
    writeFileSync(without, half);
    assert.equal(look(withLog), `ok, ${rows} rows`, `seed ${seed}`);
    assert.notEqual(look(without), `ok, ${rows} rows`, `seed ${seed}`);
  }
});
