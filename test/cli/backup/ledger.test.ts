import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { openPostgres } from '../../../src/ledger/drivers/postgres/postgres.ts';
import { openSqlite } from '../../../src/ledger/drivers/sqlite/sqlite.ts';
import { migrations } from '../../../src/ledger/schema/migrations.ts';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { migratedPostgres } from '../../support/postgres.ts';

const newest = migrations.length;

const places: [string, (cwd: string) => Promise<{ place: string; db: Database }>][] = [
  [
    'SQLite',
    async (cwd) => {
      const place = join(cwd, 'ledger.db');
      assert.equal((await runHere(['submit', 'none.csv', '--ledger', place], { cwd })).code, 3);
      return { place, db: openSqlite(place) };
    },
  ],
  [
    'PostgreSQL',
    async () => {
      const place = await migratedPostgres();
      return { place, db: openPostgres(place) };
    },
  ],
];

for (const [name, make] of places)
  test(`a ledger on ${name} is checked, migrated, and refused if a later version wrote it`, async (t: TestContext) => {
    const cwd = folderOf(t);
    const { place, db } = await make(cwd);
    t.after(() => db.close());
    const airbatch = (...args: string[]) => runHere([...args, '--ledger', place], { cwd });
    const check = async () => JSON.parse((await airbatch('--json', 'ledger', 'check')).stdout);

    const good = await check();
    assert.deepEqual([good.schema, good.newest, good.faults, good.is_good], [newest, newest, [], true]);
    assert.notEqual(good.audit, null);

    // As an earlier version left it.
    await db.execute('DROP INDEX inbox_handled');
    await db.execute('DELETE FROM migrations WHERE version = ?', [newest]);
    const older = await check();
    assert.deepEqual([older.schema, older.newest, older.audit, older.is_good], [newest - 1, newest, null, true]);
    assert.match((await airbatch('ledger', 'migrate')).stdout, /was brought from schema/);
    // It fails if there is none.
    await db.execute('DROP INDEX inbox_handled');
    assert.match((await airbatch('ledger', 'migrate')).stdout, /has the schema of this version/);

    await db.execute('INSERT INTO migrations (version) VALUES (?)', [newest + 1]);
    assert.match((await airbatch('ledger')).stdout, /written by a later version/);
    for (const args of [['ledger', 'migrate'], ['status'], ['resume']]) {
      const refused = await airbatch(...args);
      assert.equal(refused.code, 6);
      assert.match(refused.stderr, /\[LEDGER_VERSION\]/);
    }
    await db.execute('DELETE FROM migrations WHERE version > ?', [newest]);

    await db.execute('UPDATE access_head SET seq = 7');
    assert.equal((await airbatch('ledger', 'check')).code, 5);
    await db.execute('DROP TABLE migrations');
    assert.match((await airbatch('ledger', 'check')).stderr, /\[LEDGER_MISSING\]/);
  });
