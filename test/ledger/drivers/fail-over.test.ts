import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../../src/core/time/clock.ts';
import { takeAccount } from '../../../src/engine/runner/lease.ts';
import { restoredAt } from '../../../src/engine/runner/ledger-mark.ts';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { openPostgres } from '../../../src/ledger/drivers/postgres/postgres.ts';
import { proveWritable } from '../../../src/ledger/schema/ledger-state.ts';
import { migrate } from '../../../src/ledger/schema/schema.ts';
import { openCutConnection } from '../../support/cut-connection.ts';
import { startPostgres } from '../../support/postgres.ts';

function opened(t: TestContext, url: string): Database {
  const db = openPostgres(url);
  t.after(() => db.close());
  return db;
}

const take = (db: Database, account: string, restored = false) =>
  takeAccount(db, systemClock, {
    ...{ account, restored, holder: 'here/1/1', ttlMs: 60_000, mark: null },
    isDead: () => true,
  });

/** Waits until the query returns true. */
async function until(db: Database, sql: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const [row] = await db.values(sql).catch(() => []);
    if (String(row?.[0]) === 'true') return;
    await wait(50);
  }
  assert.fail(sql);
}

test('a replica that takes over, and lacks what was acknowledged, is a restored ledger', async (t) => {
  const primary = await startPostgres();
  t.after(() => primary.stop());
  const db = opened(t, primary.url);
  await migrate(db);
  const replica = await startPostgres([], primary);
  t.after(() => replica.stop());
  const name = await openCutConnection(primary.url);
  t.after(() => name.close());
  const running = opened(t, name.url);
  await take(running, 'main');
  const other = opened(t, replica.url);
  await until(other, "SELECT EXISTS (SELECT 1 FROM leases WHERE account = 'main')");
  await assert.rejects(proveWritable(other, 1), { code: 'LEDGER_IO' });

  // The replica no longer follows, and the primary acknowledges a commit alone.
  await other.query("ALTER SYSTEM SET primary_conninfo = ''");
  await other.query('SELECT pg_reload_conf()');
  await until(other, 'SELECT NOT EXISTS (SELECT 1 FROM pg_stat_wal_receiver)');
  await proveWritable(running, 77);
  await primary.stop();
  await other.query('SELECT pg_promote()');
  name.lead(replica.url);
  await running.query('SELECT 1 AS one').catch(() => undefined);

  // A program that was running writes nothing more, whatever its connections do.
  await assert.rejects(proveWritable(running, 78), {
    code: 'LEDGER_RESTORED',
    exitCode: 6,
    message: /has failed over to a replica/,
  });
  const promoted = opened(t, name.url);
  assert.deepEqual(await promoted.values('SELECT proved_writable_at FROM ledger_state'), [[null]]);
  // A program that starts sends nothing, until a person knows of it.
  await assert.rejects(take(promoted, 'main'), { code: 'LEDGER_RESTORED' });
  await assert.rejects(take(promoted, 'second'), { code: 'LEDGER_RESTORED' });
  await take(promoted, 'main', true);
  await take(promoted, 'second');
  for (const account of ['main', 'second'])
    assert.notEqual(await restoredAt(promoted, account, systemClock.now()), null, `${account} looks rows up first`);
});
