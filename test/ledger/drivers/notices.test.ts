import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../../src/core/time/clock.ts';
import { addToInbox } from '../../../src/ledger/accounts/webhook-inbox.ts';
import { findBatch } from '../../../src/ledger/batches/batches.ts';
import { openPostgres } from '../../../src/ledger/drivers/postgres/postgres.ts';
import { takeLease } from '../../../src/ledger/schema/lease-table.ts';
import { inUnit, type UnitOptions } from '../../../src/ledger/unit-of-work.ts';
import { aBatch, addBatch, anInboxEntry } from '../../support/ledger.ts';
import { migratedPostgres } from '../../support/postgres.ts';

/** Two machines on one ledger, of which the first one listens. */
async function listening(t: TestContext) {
  const url = await migratedPostgres();
  const [one, other] = [openPostgres(url), openPostgres(url)];
  const notices: string[] = [];
  const end = one.listen((notice) => notices.push(notice === null ? 'missed' : `${notice.kind} ${notice.account}`));
  t.after(async () => {
    end();
    await Promise.all([one.close(), other.close()]);
  });
  /** Waits for these notices, and fails with those that came instead. */
  const arrive = async (...expected: string[]) => {
    for (let tries = 0; notices.length < expected.length && tries < 500; tries++) await wait(20);
    assert.deepEqual(notices.splice(0), expected);
  };
  await arrive('missed');
  const touch = (options: Partial<UnitOptions>, fails = false) =>
    inUnit(other, { clock: systemClock, actor: 'ann', ...options }, async (unit) => {
      const batch = await findBatch(unit.tx, 'batch-1');
      assert.ok(batch);
      await unit.append(batch.batch_id, 'batch.note', {});
      if (fails) throw new Error('undone');
    });
  return { one, other, arrive, touch };
}

describe('a process that shares a ledger on PostgreSQL', () => {
  test('learns of a batch that another process changes, and of a webhook that it receives', async (t) => {
    const { other, arrive, touch } = await listening(t);
    await addBatch(other, systemClock, aBatch(), []);
    await arrive('batch main');
    await assert.rejects(touch({}, true), /undone/);
    await touch({});
    await arrive('batch main');
    await addToInbox(other, anInboxEntry({ account: 'second' }));
    await addToInbox(other, anInboxEntry({ account: 'second' }));
    await arrive('webhook second');
  });

  test('learns nothing of what a runner changes, which is most of all', async (t) => {
    const { other, arrive, touch } = await listening(t);
    await addBatch(other, systemClock, aBatch(), []);
    await arrive('batch main');
    const lease = { account: 'main', holder: 'a/1/1', deadHolder: null, now: 0, ttlMs: 60_000 };
    const fence = await other.transact((tx) => takeLease(tx, lease));
    assert.ok(fence);
    await touch({ fence });
    await touch({});
    await arrive('batch main');
  });

  test('looks at everything after its connection was lost, and goes on listening', async (t) => {
    const { other, arrive, touch } = await listening(t);
    await addBatch(other, systemClock, aBatch(), []);
    await arrive('batch main');
    await other.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'");
    await arrive('missed');
    await touch({});
    await arrive('batch main');
  });
});
