import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { openPostgres } from '../../../src/ledger/drivers/postgres/postgres.ts';
import { openSqlite } from '../../../src/ledger/drivers/sqlite/sqlite.ts';
import { migrations } from '../../../src/ledger/schema/migrations.ts';
import { migrate, schemaVersions } from '../../../src/ledger/schema/schema.ts';
import { inUnit } from '../../../src/ledger/unit-of-work.ts';
import { aBatch, addBatch, memoryLedger } from '../../support/ledger.ts';
import { emptyPostgres } from '../../support/postgres.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

const newest = migrations.length;
const farOff = 9_999_999_999_999;

/** What a program that works on a ledger has in it, and from which version of the schema on. */
const holds = {
  'sends for an account': [
    1,
    `INSERT INTO leases (account, holder, fence, expires_at) VALUES ('main', 'host/1/2', 1, ${farOff})`,
  ],
  'reads a file': [5, `INSERT INTO readings (batch_id, holder, expires_at) VALUES ('b', 'host/1/2', ${farOff})`],
  'runs a slot': [
    9,
    `INSERT INTO slots (job, due_at, state, holder, expires_at) VALUES ('j', 1, 'running', 'host/1/2', ${farOff})`,
  ],
} as const;

async function atVersion(db: Database, version: number): Promise<void> {
  await db.execute('CREATE TABLE migrations (version INTEGER PRIMARY KEY)');
  for (const [index, statements] of migrations.slice(0, version).entries())
    await db.transact(async (tx) => {
      for (const statement of statements) await tx.execute(statement);
      await tx.execute('INSERT INTO migrations (version) VALUES (?)', [index + 1]);
    });
}

const ledgers = {
  SQLite: async () => openSqlite(':memory:'),
  PostgreSQL: async () => openPostgres(await emptyPostgres()),
};

describe('a migration', () => {
  for (const [name, open] of Object.entries(ledgers))
    for (const [what, [since, hold]] of Object.entries(holds))
      for (const version of new Set([since, newest - 1]))
        test(`on ${name} waits for a program of version ${version} that ${what}, unless it has ended`, async (t) => {
          const db = await open();
          t.after(() => db.close());
          await atVersion(db, version);
          await db.execute(hold);
          await assert.rejects(migrate(db, { now: Date.now(), isDead: () => false }), {
            code: 'LEDGER_BUSY',
            message: /an earlier version of airbatch \(process 1 on host\) works on the ledger/,
          });
          assert.equal((await schemaVersions(db)).schema, version);
          await migrate(db, { now: Date.now(), isDead: () => true });
          assert.equal((await schemaVersions(db)).schema, newest);
        });

  test('does not wait for the end of what has expired, or cannot say when it does', async (t) => {
    const db = openSqlite(':memory:');
    t.after(() => db.close());
    await atVersion(db, 4);
    await db.execute("INSERT INTO slots (job, due_at, state, holder) VALUES ('old', 1, 'running', 'host/1/2')");
    await db.execute("INSERT INTO leases (account, holder, fence, expires_at) VALUES ('main', 'host/1/2', 1, 5)");
    await migrate(db, { now: 6, isDead: () => false });
    assert.equal((await schemaVersions(db)).schema, newest);
  });
});

test('a unit without a fence writes nothing once a later version has changed the ledger', async () => {
  const [db, clock] = [await memoryLedger(), makeVirtualClock()];
  await addBatch(db, clock, aBatch(), []);
  const events = async () => (await db.query('SELECT seq FROM events')).length;
  const before = await events();
  await db.execute('INSERT INTO migrations (version) VALUES (?)', [newest + 1]);
  const write = inUnit(db, { clock, actor: 'intake' }, (unit) => unit.append('batch-1', 'batch.boost', {}));
  await assert.rejects(write, { code: 'LEDGER_VERSION' });
  assert.equal(await events(), before);
});
