import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { AirbatchError, type ErrorCode } from '../../../src/core/basics/errors.ts';
import { takeAccount } from '../../../src/engine/runner/lease.ts';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { openPostgres } from '../../../src/ledger/drivers/postgres/postgres.ts';
import { openSqlite } from '../../../src/ledger/drivers/sqlite/sqlite.ts';
import { migrate } from '../../../src/ledger/schema/schema.ts';
import { openCutConnection } from '../../support/cut-connection.ts';
import { folderOf } from '../../support/folder.ts';
import { memoryLedger } from '../../support/ledger.ts';
import { counted } from '../../support/ledger-work.ts';
import { migratedPostgres } from '../../support/postgres.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

const ttlMs = 10_000;
/** A lease is renewed this often, and this long after a renewal that failed. */
const renewMs = ttlMs / 4;
const retryMs = ttlMs / 20;

/** A program with a lease that it keeps for each account. */
async function program(db: Database) {
  const clock = makeVirtualClock();
  const stopping = new AbortController();
  const after = (ms: number) => clock.drive(clock.sleep(ms));
  return {
    after,
    async keep(account: string) {
      const options = { account, holder: 'one', ttlMs, mark: null, restored: false, isDead: () => false };
      const lease = await takeAccount(db, clock, options);
      const held = { lease, endedBy: null as unknown, endedAt: null as number | null };
      void lease.keep(stopping.signal).catch((error: unknown) => {
        Object.assign(held, { endedBy: (error as AirbatchError).code, endedAt: clock.monotonic() });
      });
      return held;
    },
    async stop() {
      stopping.abort();
      await after(0);
    },
  };
}

/** The ledger, in which every transaction fails while there is a fault. */
async function faultyLedger() {
  const ledger = await memoryLedger();
  const state: { fault: ErrorCode | null; tries: number } = { fault: null, tries: 0 };
  const db: Database = {
    ...ledger,
    transact(work) {
      if (state.fault === null) return ledger.transact(work);
      state.tries += 1;
      return Promise.reject(new AirbatchError(state.fault, 'a fault'));
    },
  };
  return { db, state };
}

describe('a renewal that fails', () => {
  for (const fault of ['LEDGER_BUSY', 'LEDGER_IO'] as const)
    test(`with ${fault} ends no lease if it succeeds before the lease expires`, async () => {
      const { db, state } = await faultyLedger();
      const { keep, after, stop } = await program(db);
      const leases = [await keep('main'), await keep('other')];
      state.fault = fault;
      await after(ttlMs - 2 * retryMs);
      assert.ok(state.tries > 5, `${state.tries}`);
      state.fault = null;
      await after(retryMs + 1);
      await after(ttlMs - 2 * retryMs);
      for (const { lease, endedBy } of leases) {
        assert.equal(endedBy, null);
        lease.assertHeld();
      }
      await stop();
    });

  test('proves no lease', async () => {
    const { db, state } = await faultyLedger();
    const { keep, after, stop } = await program(db);
    const { lease } = await keep('main');
    state.fault = 'LEDGER_BUSY';
    await after(ttlMs - 1);
    lease.assertHeld();
    await after(1);
    assert.throws(lease.assertHeld, { code: 'FENCED' });
    await stop();
  });

  test('ends a lease while it is still proved, and those that are proved for longer later', async () => {
    const { db, state } = await faultyLedger();
    const { keep, after, stop } = await program(db);
    const first = await keep('first');
    await after(renewMs - 1);
    const later = await keep('later');
    state.fault = 'LEDGER_IO';
    await after(2 * ttlMs);
    assert.deepEqual([first.endedBy, first.endedAt], ['LEDGER_IO', ttlMs - retryMs]);
    assert.equal(later.endedBy, 'LEDGER_IO');
    assert.ok(later.endedAt !== null && later.endedAt < renewMs - 1 + ttlMs, `${later.endedAt}`);
    assert.ok(later.endedAt >= renewMs - 1 + ttlMs - 2 * retryMs, `${later.endedAt}`);
    await stop();
  });

  for (const fault of [
    'FENCED',
    'LEDGER_DAMAGED',
    'LEDGER_FULL',
    'LEDGER_REPLACED',
    'LEDGER_RESTORED',
    'LEDGER_SYNC',
  ] as const)
    test(`with ${fault}, which does not pass by itself, ends all leases at once`, async () => {
      const { db, state } = await faultyLedger();
      const { keep, after } = await program(db);
      const leases = [await keep('main'), await keep('other')];
      state.fault = fault;
      await after(renewMs);
      for (const { endedBy, endedAt } of leases) assert.deepEqual([endedBy, endedAt], [fault, renewMs]);
    });

  test('because its mark cannot be written ends its lease at once', async () => {
    const db = await memoryLedger();
    const clock = makeVirtualClock();
    const full = new AirbatchError('LEDGER_IO', 'no space');
    let writes = 0;
    const mark = { read: async () => null, write: async () => (++writes > 1 ? Promise.reject(full) : undefined) };
    const options = { account: 'main', holder: 'one', ttlMs, mark, restored: false, isDead: () => false };
    const lease = await takeAccount(db, clock, options);
    await assert.rejects(clock.drive(lease.keep(new AbortController().signal)), full);
    assert.equal(clock.monotonic(), renewMs);
  });
});

/** A ledger on PostgreSQL over a connection that can be cut. */
async function cutLedger(t: TestContext) {
  const connection = await openCutConnection(await migratedPostgres());
  const db = counted(openPostgres(connection.url));
  t.after(() => connection.close());
  t.after(() => db.close());
  return { connection, db };
}

/** A ledger on SQLite or PostgreSQL, and ways to keep a renewal from it. */
const places: Record<string, (t: TestContext) => Promise<{ db: Database; disturb: () => Promise<() => unknown> }>> = {
  async 'another program writes to the file'(t) {
    const path = join(folderOf(t), 'ledger.db');
    const db = counted(openSqlite(path, { busyTimeoutMs: 10 }));
    await migrate(db);
    const other = new DatabaseSync(path);
    t.after(() => db.close());
    t.after(() => other.close());
    return {
      db,
      async disturb() {
        other.exec('BEGIN IMMEDIATE');
        return () => other.exec('ROLLBACK');
      },
    };
  },
  async 'another program holds the lock of the database'(t) {
    const url = await migratedPostgres();
    const db = counted(openPostgres(url, { lockWaitMsMax: 10 }));
    const other = openPostgres(url);
    t.after(() => db.close());
    t.after(() => other.close());
    return {
      db,
      async disturb() {
        const [begun, writing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const written = other.transact(() => {
          begun.resolve();
          return writing.promise;
        });
        await begun.promise;
        return () => {
          writing.resolve();
          return written;
        };
      },
    };
  },
  async 'the connection to the database is lost at its commit'(t) {
    const { connection, db } = await cutLedger(t);
    return {
      db,
      async disturb() {
        connection.cutAtCommit('before');
        return () => undefined;
      },
    };
  },
  async 'the database cannot be reached'(t) {
    const { connection, db } = await cutLedger(t);
    return {
      db,
      async disturb() {
        connection.sever();
        return () => connection.mend();
      },
    };
  },
};

describe('the leases of a program', () => {
  for (const [fault, place] of Object.entries(places))
    test(`survive a renewal that fails because ${fault}`, async (t) => {
      const { db, disturb } = await place(t);
      const { keep, after, stop } = await program(db);
      const leases = [await keep('main'), await keep('other')];
      const end = await disturb();
      await after(renewMs + 1);
      await end();
      await after(2 * ttlMs);
      for (const { lease, endedBy } of leases) {
        assert.equal(endedBy, null);
        lease.assertHeld();
      }
      await stop();
    });
});
