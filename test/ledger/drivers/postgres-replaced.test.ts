import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { systemClock } from '../../../src/core/time/clock.ts';
import { takeAccount } from '../../../src/engine/runner/lease.ts';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { openPostgres } from '../../../src/ledger/drivers/postgres/postgres.ts';
import { isSameHistory, proveWritable } from '../../../src/ledger/schema/ledger-state.ts';
import { emptyPostgres, migratedPostgres, onServer } from '../../support/postgres.ts';

const refused = { code: 'LEDGER_REPLACED', exitCode: 6 };

function opened(t: TestContext, url: string): Database {
  const db = openPostgres(url);
  t.after(() => db.close());
  return db;
}

const nameOf = (url: string) => new URL(url).pathname.slice(1);

describe('a ledger on PostgreSQL', () => {
  test('that another database replaces while it is open accepts no write', async (t) => {
    const url = await migratedPostgres();
    const other = await migratedPostgres();
    const db = opened(t, url);
    await proveWritable(db, 1);
    await onServer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${nameOf(url)}'`);
    await onServer(`ALTER DATABASE ${nameOf(url)} RENAME TO ${nameOf(url)}_old`);
    await onServer(`ALTER DATABASE ${nameOf(other)} RENAME TO ${nameOf(url)}`);
    await db.query('SELECT 1 AS one').catch(() => undefined);
    await assert.rejects(proveWritable(db, 2), refused);
    await assert.rejects(db.execute('DELETE FROM pauses'), refused);
    const [state] = await opened(t, url).query('SELECT proved_writable_at FROM ledger_state');
    assert.deepEqual(state, { proved_writable_at: null });
  });

  test('whose tables are restored from a backup while it is open accepts no write', async (t) => {
    const url = await migratedPostgres();
    const db = opened(t, url);
    await proveWritable(db, 1);
    const other = opened(t, url);
    // As an account that was taken has it.
    await other.transact(isSameHistory);
    await other.execute('CREATE TABLE restored AS SELECT * FROM ledger_state');
    await other.execute('DROP TABLE ledger_state');
    await assert.rejects(proveWritable(db, 2), { ...refused, message: /was removed while/ });
    await opened(t, url).execute('ALTER TABLE restored RENAME TO ledger_state');
    await assert.rejects(proveWritable(db, 3), { ...refused, message: /was replaced by another one while/ });
    // A program that starts now sends nothing until a person knows of it.
    const options = { holder: 'here/1/1', ttlMs: 60_000, mark: null, isDead: () => true };
    const take = (restored: boolean) =>
      takeAccount(opened(t, url), systemClock, { ...options, account: 'main', restored });
    await assert.rejects(take(false), { code: 'LEDGER_RESTORED', exitCode: 6 });
    await take(true);
    await take(false);
  });

  test('gets its tables while it is open, and accepts writes', async (t) => {
    const db = opened(t, await emptyPostgres());
    await db.execute('CREATE TABLE ledger_state (proved_writable_at BIGINT)');
    await proveWritable(db, 1);
  });
});
