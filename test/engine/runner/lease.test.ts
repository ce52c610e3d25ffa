import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../../src/core/time/clock.ts';
import { type LeaseOptions, takeAccount } from '../../../src/engine/runner/lease.ts';
import {
  isOlderThan,
  type MarkedHold,
  noteLedgerRestored,
  restoredAt,
} from '../../../src/engine/runner/ledger-mark.ts';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { findLease } from '../../../src/ledger/schema/lease-table.ts';
import { highestClock } from '../../../src/ledger/schema/ledger-state.ts';
import { makeRig, someRows } from '../../support/engine.ts';
import { makeFakeService } from '../../support/fake-service.ts';
import { memoryLedger } from '../../support/ledger.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

const ttlMs = 100;
const start = 10_000;
const dayMs = 24 * 3_600_000;

/** A ledger whose transactions take `diskMs`, the mark beside it, and a machine with both of its clocks. */
async function place({ diskMs = 0 } = {}) {
  const ledger = await memoryLedger();
  const time = { wall: start, uptime: 0 };
  const pass = (ms: number) => {
    time.wall += ms;
    time.uptime += ms;
  };
  const clock = { ...systemClock, now: () => time.wall, uptime: () => time.uptime };
  const db: Database = {
    ...ledger,
    async transact(work) {
      pass(diskMs / 2);
      const result = await ledger.transact(work);
      pass(diskMs / 2);
      return result;
    },
  };
  const beside: { hold: MarkedHold | null } = { hold: null };
  const mark = {
    read: async () => beside.hold,
    write: async (_account: string, hold: MarkedHold) => {
      beside.hold = hold;
    },
  };
  const take = (holder: string, options: Partial<LeaseOptions> = {}) =>
    takeAccount(db, clock, { account: 'main', holder, ttlMs, mark, restored: false, isDead: () => false, ...options });
  const inLedger = async () => (await findLease(db, 'main')) ?? assert.fail('no lease');
  return { db, time, pass, take, inLedger, beside };
}

const fenced = { code: 'FENCED' };

describe('the lease on an account', () => {
  test('names the program from which it was taken, if that ended without releasing it', async () => {
    const { pass, take } = await place();
    const first = await take('one.host/7/1');
    assert.equal(first.tookOverFrom, null);
    await assert.rejects(take('two.host/8/1'), { code: 'ACCOUNT_BUSY' });
    const second = await take('two.host/8/1', { isDead: () => true });
    assert.equal(second.tookOverFrom, 'process 7 on one.host');
    pass(ttlMs);
    const third = await take('three.host/9/1');
    assert.equal(third.tookOverFrom, 'process 8 on two.host');
    await third.release();
    assert.equal((await take('four.host/10/1')).tookOverFrom, null);
  });

  for (const [which, wall, uptime, isHeld] of [
    ['neither has', ttlMs - 1, ttlMs - 1, true],
    ['wall time alone has', ttlMs, 0, false],
    ['the uptime alone has', 0, ttlMs, false],
  ] as const)
    test(`is ${isHeld ? 'safe' : 'no longer safe'} if ${which} gone on for as long as it lasts, also once it was renewed`, async () => {
      const { time, pass, take } = await place();
      const lease = await take('one');
      for (const renewal of [false, true]) {
        if (renewal) {
          Object.assign(time, { wall: start, uptime: 0 });
          pass(ttlMs / 2);
          await lease.renew();
        }
        time.wall += wall;
        time.uptime += uptime;
        if (isHeld) lease.assertHeld();
        else assert.throws(() => lease.assertHeld(), fenced);
      }
    });

  test('is no longer safe once the clock of its machine was set back, which hides that the machine was suspended', async () => {
    const { take } = await place();
    let wall = start;
    const lease = await take('one', { machine: { now: () => wall } });
    wall -= ttlMs - 1;
    lease.assertHeld();
    wall -= 1;
    assert.throws(() => lease.assertHeld(), fenced);
    wall = start;
    assert.throws(() => lease.assertHeld(), fenced, 'a suspension that looks like the way back proves nothing');
    await lease.renew();
    lease.assertHeld();
  });

  test('is proved again by a renewal if the process was late, and not if its clocks disagree or another one has it', async () => {
    const { time, pass, take } = await place();
    const lease = await take('one');
    pass(ttlMs);
    assert.throws(() => lease.assertHeld(), fenced);
    assert.equal(lease.isLate(), true);
    await Promise.all([lease.prove(), lease.prove()]);
    lease.assertHeld();
    time.wall += ttlMs;
    assert.equal(lease.isLate(), false);
    await assert.rejects(lease.prove(), fenced);
    time.wall -= ttlMs;
    await assert.rejects(lease.prove(), fenced, 'only a renewal that is due anyway proves it again');
    await lease.renew();
    await lease.prove();
    pass(ttlMs);
    await take('two');
    await assert.rejects(lease.prove(), fenced);
    assert.throws(() => lease.assertHeld(), fenced);
  });

  test('is no longer safe once its machine was suspended, although the clock of the runner stood still meanwhile', async () => {
    const { take } = await place();
    let wall = start - 3_600_000;
    const lease = await take('one', { machine: { now: () => wall } });
    lease.assertHeld();
    wall += ttlMs;
    assert.throws(() => lease.assertHeld(), fenced);
  });

  test('counts from the moment of its request, however long the disk takes', async () => {
    const { time, pass, take } = await place({ diskMs: 20 });
    const lease = await take('one');
    pass(ttlMs - 21);
    lease.assertHeld();
    await lease.renew();
    pass(ttlMs - 21);
    lease.assertHeld();
    pass(1);
    const { wall, uptime } = time;
    for (const oneAlone of [
      { wall, uptime: 0 },
      { wall: start, uptime },
    ]) {
      Object.assign(time, oneAlone);
      assert.throws(() => lease.assertHeld(), fenced);
    }
  });

  test('is in the ledger for its whole time, with the highest clock, and its mark promises no more than the ledger', async () => {
    const { db, time, pass, take, inLedger, beside } = await place({ diskMs: 20 });
    const lease = await take('one');
    for (const renewal of [false, true]) {
      if (renewal) {
        pass(ttlMs - 30);
        await lease.renew();
        pass(30);
      }
      const { fence, expires_at } = await inLedger();
      const noted = await highestClock(db);
      assert.ok(noted > time.wall - 60_000 && noted <= time.wall, `${noted}`);
      assert.ok(expires_at > time.wall && expires_at <= time.wall + ttlMs, `${expires_at}`);
      assert.equal(beside.hold?.fence, fence);
      assert.ok(beside.hold.expiresAt <= expires_at && beside.hold.expiresAt > time.wall, `${beside.hold.expiresAt}`);
    }
  });

  test('shows its machine and process to others, without a number that looks like a phone number', async () => {
    const { take } = await place();
    await take('vm/11164/1795443073763.3e19d8f6-47c1-4479-b0de-6ae9af6ba4b7.4026531836-4026531834.918039');
    await assert.rejects(take('two'), {
      message: 'another airbatch (process 11164 on vm) is sending for account "main"',
    });
  });

  test('is checked before a row is written as sent: if it has expired, the row waits for the next holder, and is not in doubt', async () => {
    const rig = await makeRig({ settings: { leaseTtlMs: 15_000 } });
    await rig.add(someRows(1));
    const limiter = makeOpenLimiter(rig.clock);
    const admit: typeof limiter.admit = (requestClass, job, weight) =>
      limiter.admit(
        requestClass,
        (count, giveBack) => {
          // The machine slept while the row waited for its turn.
          if (requestClass === 'creation') rig.clock.setWall(rig.clock.now() + 15_000);
          return job(count, giveBack);
        },
        weight,
      );
    const asleep = rig.runner({ limiter: { ...limiter, admit } });
    await assert.rejects(rig.clock.drive(asleep.run(0)), fenced);
    assert.deepEqual(await rig.states(), ['ready']);
    await rig.run();
    assert.deepEqual(await rig.states(), ['completed']);
  });

  test('is kept after a stop until the last request is answered, however long that takes', async () => {
    const rig = await makeRig({
      settings: { leaseTtlMs: 15_000 },
      gateway: async (clock) => {
        const service = makeFakeService(clock);
        const create: typeof service.create = async (request) => {
          const outcome = await service.create(request);
          await clock.sleep(50_000);
          return outcome;
        };
        return { ...service, create };
      },
    });
    const { db, clock } = rig;
    await rig.add(someRows(1));
    const runner = rig.runner();
    const running = runner.run(Number.POSITIVE_INFINITY);
    await clock.drive(clock.sleep(5_000));
    assert.deepEqual(await rig.states(), ['sending']);
    runner.stop();
    await clock.drive(clock.sleep(40_000));
    assert.ok(((await findLease(db, 'main'))?.expires_at ?? 0) > clock.now());
    await assert.rejects(rig.runner().run(0), { code: 'ACCOUNT_BUSY' });
    await clock.drive(running);
    assert.deepEqual(await rig.states(), ['accepted']);
    assert.equal((await findLease(db, 'main'))?.expires_at, 0);
  });

  test('ends alone if its mark cannot be written: leases that are renewed with it go on', async () => {
    const clock = makeVirtualClock();
    const db = await memoryLedger();
    const writes: string[] = [];
    const full = new Error('no space');
    const mark = {
      read: async () => null,
      write: async (account: string) => {
        if (writes.filter((written) => written === account).length === 1 && account === 'main') throw full;
        writes.push(account);
      },
    };
    const stopping = new AbortController();
    const keep = async (account: string) => {
      const options = { account, holder: 'one', ttlMs, mark, restored: false, isDead: () => false };
      const lease = await takeAccount(db, clock, options);
      return { lease, kept: lease.keep(stopping.signal) };
    };
    const main = await keep('main');
    const other = await keep('other');
    await assert.rejects(clock.drive(main.kept), full);
    await clock.drive(clock.sleep(2 * ttlMs));
    other.lease.assertHeld();
    assert.throws(main.lease.assertHeld, fenced);
    stopping.abort();
    await other.kept;
  });

  test('can be taken by another after it has expired, and cannot be renewed then', async () => {
    const { pass, take, beside } = await place();
    const first = await take('one');
    pass(ttlMs - 1);
    for (const holder of ['one', 'two'])
      await assert.rejects(take(holder), { code: 'ACCOUNT_BUSY', message: /^another airbatch \(one\) is sending/ });
    pass(1);
    const second = await take('two');
    const { hold } = beside;
    await assert.rejects(first.renew(), fenced);
    assert.equal(beside.hold, hold);
    second.assertHeld();
  });

  test('is taken, renewed and released before everything else that waits for the ledger', async () => {
    const db = await memoryLedger();
    const turns: unknown[] = [];
    const noting: Database = {
      ...db,
      transact(work, options) {
        turns.push(options?.turn);
        return db.transact(work, options);
      },
    };
    const options = { account: 'main', holder: 'one', ttlMs, mark: null, restored: false, isDead: () => false };
    const lease = await takeAccount(noting, makeVirtualClock(), options);
    await lease.renew();
    await lease.release();
    assert.deepEqual(turns, ['first', 'first', 'first']);
  });

  test('is found to be held, on a ledger that machines share, without a transaction', async () => {
    const db = await memoryLedger();
    const clock = makeVirtualClock();
    let transactions = 0;
    const counting: Database = {
      ...db,
      transact(work) {
        transactions += 1;
        return db.transact(work);
      },
    };
    const take = (holder: string) =>
      takeAccount(counting, clock, {
        ...{ account: 'main', holder, ttlMs, mark: null, restored: false },
        isDead: (dead) => dead === 'two',
      });
    const first = await take('one');
    await assert.rejects(take('two'), { code: 'ACCOUNT_BUSY', message: /\(one\)/ });
    assert.equal(transactions, 1);
    await first.release();
    assert.equal(transactions, 2);
    await take('two');
    await take('three');
    assert.equal(transactions, 4);
  });

  test('can be taken at once if it was released, or if its holder has ended', async () => {
    const { take } = await place();
    await (await take('one')).release();
    const second = await take('two');
    const third = await take('three', { isDead: (holder) => holder === 'two' });
    assert.equal(third.fence.fence, second.fence.fence + 1);
  });
});

describe('a ledger and the mark next to it', () => {
  const mark = { fence: 3, expiresAt: 500 };
  for (const [what, lease, isOlder] of [
    ['knows of no hold', null, true],
    ['knows of an earlier holder', { fence: 2, expires_at: 900 }, true],
    ['knows less of the same hold', { fence: 3, expires_at: 499 }, true],
    ['knows as much', { fence: 3, expires_at: 500 }, false],
    ['knows that it was given back', { fence: 3, expires_at: 0 }, false],
    ['knows of a later holder', { fence: 4, expires_at: 100 }, false],
  ] as const)
    test(`${isOlder ? 'do not match' : 'match'} if the ledger ${what}`, () => {
      assert.equal(isOlderThan(mark, lease), isOlder);
    });

  test('do not match after a restore from the middle of a short run, which was over before its first renewal', async () => {
    const { pass, take, inLedger, beside } = await place();
    const lease = await take('one');
    const backup = await inLedger();
    pass(5);
    await lease.release();
    assert.equal((await inLedger()).expires_at, 0);
    assert.ok(beside.hold && isOlderThan(beside.hold, backup));
    assert.ok(!isOlderThan(beside.hold, await inLedger()));
  });

  test('match after a restore from the time between the last renewal and a kill: that is not detected', async () => {
    const { pass, take, inLedger, beside } = await place();
    const lease = await take('one');
    const early = await inLedger();
    pass(5);
    await lease.renew();
    assert.ok(beside.hold && isOlderThan(beside.hold, early));
    const late = await inLedger();
    pass(5);
    assert.ok(!isOlderThan(beside.hold, late));
    await take('two', { isDead: () => true });
    assert.ok(isOlderThan(beside.hold, late), 'whoever worked after the kill has it noticed');
  });

  test('keep what a later holder wrote, if an earlier one releases what it has lost', async () => {
    const { pass, take, beside } = await place();
    const first = await take('one');
    pass(ttlMs);
    const second = await take('two');
    const { hold } = beside;
    await assert.rejects(first.release(), fenced);
    second.assertHeld();
    assert.equal(beside.hold, hold);
  });

  for (const hadHolder of [false, true])
    test(`are reported if they do not match, and a person’s confirmation is kept for 35 days, after ${hadHolder ? 'an earlier' : 'no'} holder`, async () => {
      const { db, take, inLedger, beside } = await place();
      if (hadHolder) await (await take('one')).release();
      beside.hold = { fence: 7, expiresAt: 1 };
      const before = await findLease(db, 'main');
      await assert.rejects(take('two'), { code: 'LEDGER_RESTORED' });
      assert.deepEqual(await findLease(db, 'main'), before);
      await take('two', { restored: true });
      // The lost part has given out the numbers before it.
      assert.equal((await inLedger()).fence, 8);
      assert.equal(await restoredAt(db, 'main', start + 35 * dayMs - 1), start);
      assert.equal(await restoredAt(db, 'main', start + 35 * dayMs), null);
    });

  test('are confirmed for the whole ledger: each account applies it once when it is claimed, for 35 days', async () => {
    const { db, pass, take } = await place();
    pass(dayMs);
    await db.transact((tx) => noteLedgerRestored(tx, start));
    const first = await take('one');
    assert.equal(await restoredAt(db, 'main', start), start);
    await first.release();
    pass(dayMs);
    const own = await take('two', { restored: true });
    await own.release();
    await (await take('three')).release();
    assert.equal(await restoredAt(db, 'main', start), start + 2 * dayMs);
    for (const [account, days, at] of [
      ['other', 30, start],
      ['third', 3, null],
    ] as const) {
      pass(days * dayMs);
      await (await take('four', { account, mark: null })).release();
      assert.equal(await restoredAt(db, account, start + 34 * dayMs), at);
    }
  });

  test('are overruled by a person without other evidence, but not while somebody else has the account', async () => {
    const { db, take } = await place();
    const lease = await take('one');
    await assert.rejects(take('two', { restored: true }), { code: 'ACCOUNT_BUSY' });
    assert.equal(await restoredAt(db, 'main', start), null);
    await lease.release();
    await take('two', { restored: true });
    assert.equal(await restoredAt(db, 'main', start), start);
  });
});
