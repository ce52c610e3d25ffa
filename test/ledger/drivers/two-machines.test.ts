import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { systemClock } from '../../../src/core/time/clock.ts';
import { openPostgres } from '../../../src/ledger/drivers/postgres/postgres.ts';
import { releaseLease, renewLease, takeLease } from '../../../src/ledger/schema/lease-table.ts';
import { migratedPostgres } from '../../support/postgres.ts';

const hourMs = 3_600_000;

/** Two machines with one ledger, the clock of the second wrong by `aheadMs`. */
async function machines(t: TestContext, aheadMs: number) {
  const url = await migratedPostgres('server');
  return [0, aheadMs].map((ahead, index) => {
    const db = openPostgres(url);
    t.after(() => db.close());
    const now = () => systemClock.now() + ahead;
    const account = { account: 'main', holder: `machine-${index}/1/1`, deadHolder: null };
    return {
      db,
      now,
      take: (ttlMs: number) => db.transact((tx) => takeLease(tx, { ...account, now: now(), ttlMs })),
    };
  }) as [Machine, Machine];
}

interface Machine {
  db: ReturnType<typeof openPostgres>;
  now: () => number;
  take: (ttlMs: number) => ReturnType<typeof takeLease>;
}

describe('a ledger that two machines share', () => {
  test('lets a machine whose clock is ahead take no account from the other', async (t) => {
    const [one, other] = await machines(t, hourMs);
    assert.equal((await one.take(60_000))?.fence, 1);
    assert.equal(await other.take(60_000), null);
  });

  test('lets a machine whose clock is behind take an account whose lease has expired', async (t) => {
    const [one, other] = await machines(t, -hourMs);
    assert.equal((await one.take(0))?.fence, 1);
    assert.equal((await other.take(60_000))?.fence, 2);
  });

  test('renews no lease that the other machine has taken over', async (t) => {
    const [one, other] = await machines(t, 0);
    const lease = await one.take(0);
    assert.ok(lease);
    assert.ok(await other.take(60_000));
    assert.equal(await renewLease(one.db, lease, { now: one.now(), ttlMs: 60_000 }), null);
    await releaseLease(one.db, lease);
    assert.equal(await one.take(60_000), null);
  });

  test('lets one of two machines win that take an account at the same time', async (t) => {
    const both = await machines(t, 0);
    for (let round = 0; round < 5; round++) {
      const taken = await Promise.all(both.map((machine) => machine.take(60_000)));
      const [lease] = taken.filter((one) => one !== null);
      assert.equal(taken.filter((one) => one !== null).length, 1);
      await releaseLease(both[0].db, lease as NonNullable<typeof lease>);
    }
  });
});
