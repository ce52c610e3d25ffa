import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openPostgres } from '../../../src/ledger/drivers/postgres/postgres.ts';
import { proveWritable } from '../../../src/ledger/schema/ledger-state.ts';
import { openSession } from '../../../src/runtime/session/session.ts';
import { folderOf } from '../../support/folder.ts';
import { emptyPostgres } from '../../support/postgres.ts';

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
