import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openPostgres } from '../../../src/ledger/drivers/postgres/postgres.ts';
import { proveWritable } from '../../../src/ledger/schema/ledger-state.ts';
import { migrate } from '../../../src/ledger/schema/schema.ts';
import { openSession } from '../../../src/runtime/session/session.ts';
import { folderOf } from '../../support/folder.ts';
import { emptyPostgres, onServer } from '../../support/postgres.ts';

const nowhere = { configPath: undefined, ledgerPath: undefined, screen: null };

describe('a session on a ledger in PostgreSQL', () => {
  test('makes the ledger in an empty database, and no file of one', async (t) => {
    const cwd = folderOf(t);
    const url = await emptyPostgres();
    writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify({ ledger: { url } }));
    const { db, ledgerPath, ledgerUrl } = await openSession({ ...nowhere, cwd, env: {} });
    t.after(() => db.close());
    await proveWritable(db, 1);
    assert.deepEqual([ledgerPath, ledgerUrl], [join(cwd, '.airbatch/ledger.db'), url]);
    assert.equal(existsSync(ledgerPath), false);
  });

  test('that only reads, or changes what exists, makes none', async (t) => {
    const cwd = folderOf(t);
    const env = { AIRBATCH_LEDGER_URL: await emptyPostgres() };
    const reading = await openSession({ ...nowhere, cwd, env, onlyReads: true });
    await reading.db.close();
    assert.equal(reading.ledgerUrl, null);
    await assert.rejects(openSession({ ...nowhere, cwd, env, onlyIfThere: true }), {
      code: 'LEDGER_MISSING',
      message: /there is no ledger at postgres:\/\/127\.0\.0\.1:\d+\/test_/,
    });
    const db = openPostgres(env.AIRBATCH_LEDGER_URL);
    t.after(() => db.close());
    assert.equal(await db.isEmpty(), true);
  });

  for (const encoding of ['LATIN1', 'SQL_ASCII'])
    test(`makes none in a database with the encoding ${encoding}, but opens one that is there`, async (t) => {
      const cwd = folderOf(t);
      const url = new URL(await emptyPostgres());
      url.pathname = `${url.pathname}_${encoding}`.toLowerCase();
      await onServer(`CREATE DATABASE ${url.pathname.slice(1)} TEMPLATE template0 ENCODING '${encoding}' LOCALE 'C'`);
      const open = () => openSession({ ...nowhere, cwd, env: { AIRBATCH_LEDGER_URL: url.href } });
      await assert.rejects(open(), {
        code: 'CONFIG_INVALID',
        message: new RegExp(`^the database postgres://127\\.0\\.0\\.1:\\d+/test_\\w+ has the encoding ${encoding}`),
        hint: /CREATE DATABASE airbatch TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'/,
      });
      const db = openPostgres(url.href);
      t.after(() => db.close());
      assert.equal(await db.isEmpty(), true);
      await migrate(db);
      await (await open()).db.close();
    });

  test('that finds no database says which one, and what to check', async (t) => {
    const cwd = folderOf(t);
    const url = new URL(await emptyPostgres());
    url.pathname = '/nowhere';
    await assert.rejects(openSession({ ...nowhere, cwd, env: { AIRBATCH_LEDGER_URL: url.href }, onlyReads: true }), {
      code: 'LEDGER_IO',
      message: /the ledger postgres:\/\/127\.0\.0\.1:\d+\/nowhere: database "nowhere" does not exist/,
      hint: /^Check that the database runs/,
    });
  });
});
