import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { type Clock, systemClock } from '../../../src/core/time/clock.ts';
import { readGate } from '../../../src/engine/pacing/account-gate.ts';
import { endAbandoned } from '../../../src/intake/check/end-reading.ts';
import { savePace, storedPace } from '../../../src/ledger/accounts/pace.ts';
import { beginReading, listReadings } from '../../../src/ledger/batches/readings.ts';
import { openPostgres } from '../../../src/ledger/drivers/postgres/postgres.ts';
import { insertSlot, listSlots } from '../../../src/ledger/jobs/slots.ts';
import { holdTime, releaseLease, renewLeases, takeLease } from '../../../src/ledger/schema/lease-table.ts';
import { workerOf } from '../../../src/operations/base/account-now.ts';
import { runClaimed } from '../../../src/operations/slots/claimed-slot.ts';
import { defineJob } from '../../../src/runtime/jobs/define-job.ts';
import { makeScheduler } from '../../../src/scheduler/scheduler.ts';
import { idlePace } from '../../support/ledger.ts';
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
      clock: { ...systemClock, now },
      take: (ttlMs: number) => db.transact((tx) => takeLease(tx, { ...account, now: now(), ttlMs })),
    };
  }) as [Machine, Machine];
}

interface Machine {
  db: ReturnType<typeof openPostgres>;
  now: () => number;
  clock: Clock;
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
    assert.deepEqual(await renewLeases(one.db, [lease], { now: one.now(), ttlMs: 60_000 }), [null]);
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

  for (const [which, aheadMs] of [
    ['ahead', hourMs],
    ['behind', -hourMs],
  ] as const) {
    const isHere = () => false;

    test(`shows a machine whose clock is ${which} who works for an account, until that ends`, async (t) => {
      const [one, other] = await machines(t, aheadMs);
      const lease = await one.take(60_000);
      assert.ok(lease);
      await savePace(one.db, 'main', { ...idlePace, fence: lease.fence });
      const seen = async () => [
        await workerOf(other, 'main'),
        (await storedPace(other.db, 'main', other.now()))?.fence ?? null,
        (await readGate(other.db, 'main', other.now())).isOpen,
      ];
      assert.deepEqual(await seen(), ['machine-0/1/1', lease.fence, true]);
      await one.db.execute('UPDATE leases SET expires_at = ledger_now(?) - 1', [one.now()]);
      assert.deepEqual(await seen(), [null, null, false]);
    });

    test(`lets a machine whose clock is ${which} end a file's reading only when its reader is silent`, async (t) => {
      const [one, other] = await machines(t, aheadMs);
      const begin = (batch_id: string, untilMs: number) =>
        one.db.transact(async (tx) => {
          const expires_at = (await holdTime(tx, one.now())) + untilMs;
          await beginReading(tx, { batch_id, holder: 'machine-0/1/1', expires_at });
        });
      await begin('alive', 60_000);
      await begin('silent', -1);
      await endAbandoned(other, 'machine-1/1/1', isHere);
      assert.deepEqual(
        (await listReadings(one.db)).map(({ batch_id }) => batch_id),
        ['alive'],
      );
    });

    test(`lets a machine whose clock is ${which} run a slot only when the process that has it is silent`, async (t) => {
      const [one, other] = await machines(t, aheadMs);
      await insertSlot(one.db, { job: 'payroll', due_at: 100, state: 'due', detail: null });
      const slot = { job: 'payroll', dueAt: 100 };
      const run = (machine: Machine, work: () => Promise<void>) =>
        runClaimed({ ...machine, holder: `machine-${machine === one ? 0 : 1}/1/1`, isDead: isHere }, slot, {
          async run(requireSlot) {
            await machine.db.transact(requireSlot);
            await work();
            return { outcome: 'done', detail: '' };
          },
        });
      let others: unknown = 'not tried';
      await run(one, async () => {
        others = await run(other, async () => undefined);
      });
      assert.equal(others, null);
      await one.db.execute("UPDATE slots SET state = 'running', expires_at = ledger_now(?) - 1", [one.now()]);
      assert.equal((await run(other, async () => undefined))?.outcome, 'done');
    });

    test(`neither runs slots early nor misses any because of a machine whose clock is ${which}`, async (t) => {
      const both = await machines(t, aheadMs);
      const job = defineJob({
        name: 'often',
        schedule: { cron: '*/10 * * * *', timeZone: 'UTC', catchUp: 'none' },
        source: { kind: 'file', file: 'x.csv' },
      });
      const warnings: string[] = [];
      const log = { info: () => undefined, warn: (message: string) => void warnings.push(message) };
      const schedulers = both.map(({ db, clock }) =>
        makeScheduler({ db, clock, log, jobs: [job], runDue: async () => null }),
      );
      for (const _round of [1, 2]) for (const scheduler of schedulers) await scheduler.look();
      await Promise.all(schedulers.map((scheduler) => scheduler.stop()));
      // A slot may really fall due while this runs.
      const slots = await listSlots(both[0].db, job.name, 20);
      assert.ok(slots.length <= 1, `${slots.length} slots`);
      assert.deepEqual(warnings, []);
    });
  }
});
