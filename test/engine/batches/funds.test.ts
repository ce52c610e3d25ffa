import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pauseBatch, resumeBatch } from '../../../src/engine/batches/batch-commands.ts';
import { openPauses } from '../../../src/ledger/batches/pauses.ts';
import { makeRig, someRows } from '../../support/engine.ts';
import { aRow } from '../../support/ledger.ts';

const minute = 60_000;

/** Five rows and money for two, worked on by a program that stays; `resumeWhenFunded` as given. */
async function shortOfMoney(resumeWhenFunded: boolean) {
  const rig = await makeRig({ settings: { resumeWhenFunded, idlePollMs: minute / 2 } });
  rig.service.purse.opening = 2;
  await rig.add(someRows(5));
  const runner = rig.runner();
  const running = runner.run(Number.POSITIVE_INFINITY);
  const after = (ms: number) => rig.clock.drive(rig.clock.sleep(ms));
  await after(10 * minute);
  const stop = async () => {
    runner.stop();
    await rig.clock.drive(running);
  };
  return { rig, after, stop };
}

describe('an account that ran out of money', () => {
  test('asks for its balance at other moments than accounts that ran out of money at the same time', async () => {
    const firstAsked = async (fraction: number) => {
      const random = { fraction: () => fraction, hex: (bytes: number) => '0'.repeat(bytes * 2) };
      const rig = await makeRig({ random, settings: { resumeWhenFunded: true } });
      rig.service.purse.opening = 2;
      await rig.add(someRows(5));
      const runner = rig.runner();
      const running = runner.run(Number.POSITIVE_INFINITY);
      await rig.clock.drive(rig.clock.sleep(minute / 2));
      const asked: number[] = [];
      const { balance } = rig.service;
      rig.service.balance = () => {
        asked.push(rig.clock.now());
        return balance();
      };
      await rig.clock.drive(rig.clock.sleep(10 * minute));
      runner.stop();
      await rig.clock.drive(running);
      const [first] = asked.splice(0);
      const restartedAt = rig.clock.now();
      const next = rig.runner();
      const goingOn = next.run(Number.POSITIVE_INFINITY);
      await rig.clock.drive(rig.clock.sleep(minute));
      next.stop();
      await rig.clock.drive(goingOn);
      return { first, afterStart: (asked[0] ?? 0) - restartedAt };
    };
    const [one, other] = [await firstAsked(0), await firstAsked(0.5)];
    assert.notEqual(one.first, other.first);
    assert.deepEqual([one.afterStart, other.afterStart], [0, 5_000]);
  });

  test('continues by itself once a wallet holds more, if the configuration says so', async () => {
    const { rig, after, stop } = await shortOfMoney(true);
    assert.deepEqual([rig.service.charges.length, (await rig.batch()).pause_reason], [2, 'insufficient_balance']);
    const asked = rig.service.creates.length;
    await after(60 * minute);
    assert.equal(rig.service.creates.length, asked, 'nothing is sent while nothing has changed');
    rig.service.purse.opening = 10;
    await after(10 * minute);
    await stop();
    assert.equal(rig.service.charges.length, 5);
    assert.equal((await rig.batch()).status, 'completed');
    const [event] = await rig.db.query<{ actor: string; body: string }>(
      `SELECT actor, body FROM events WHERE kind = 'batch.resume'`,
    );
    assert.equal(event?.actor, 'engine');
    assert.match(event?.body ?? '', /the balance is back/);
  });

  test('waits again if the new money is not enough, and continues with the next', async () => {
    const { rig, after, stop } = await shortOfMoney(true);
    rig.service.purse.opening = 3;
    await after(10 * minute);
    assert.deepEqual([rig.service.charges.length, (await rig.batch()).pause_reason], [3, 'insufficient_balance']);
    rig.service.purse.opening = 9;
    await after(10 * minute);
    await stop();
    assert.deepEqual(new Set(await rig.states()), new Set(['completed']));
    assert.equal(rig.service.charges.length, 5);
  });

  test('does not continue a batch that a person also paused, until a person resumes it', async () => {
    const { rig, after, stop } = await shortOfMoney(true);
    const mary = { db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const };
    await pauseBatch(mary, 'batch-1', 'the wrong month');
    await assert.rejects(pauseBatch(mary, 'batch-1', 'once more'), {
      code: 'BATCH_STATE',
      message: 'batch batch-1 is paused by a person already',
    });
    const reasons = async () => (await openPauses(rig.db, await rig.batch())).map(({ reason }) => reason);
    assert.deepEqual(await reasons(), ['insufficient_balance', 'by_person']);
    await after(60 * minute);
    assert.deepEqual(await reasons(), ['insufficient_balance', 'by_person'], 'no money has arrived');
    rig.service.purse.opening = 10;
    await after(60 * minute);
    assert.deepEqual([rig.service.charges.length, (await rig.batch()).status], [2, 'paused']);
    assert.deepEqual(await reasons(), ['by_person'], 'money clears the pause for money alone');
    const cleared = await rig.db.query(`SELECT reason, paused_by, cleared_by FROM pauses WHERE cleared_at IS NOT NULL`);
    assert.deepEqual(
      cleared.map((one) => ({ ...one })),
      [{ reason: 'insufficient_balance', paused_by: 'engine', cleared_by: 'engine' }],
    );
    await resumeBatch(mary, 'batch-1');
    assert.deepEqual(await reasons(), []);
    await after(minute);
    await stop();
    assert.deepEqual([rig.service.charges.length, (await rig.batch()).status], [5, 'completed']);
  });

  test('continues a batch that needs all of its money only when all of it is there, one batch after the other', async () => {
    const rig = await makeRig({ settings: { resumeWhenFunded: true, idlePollMs: minute / 2 } });
    rig.service.purse.opening = 100;
    const policy = JSON.stringify({ shortBalance: 'pause' });
    for (const run of ['run-1', 'run-2']) {
      const rows = [1, 2].map((row) =>
        aRow(row, { amount: '150', currency: 'USD', phone_number: `+2547120${run.at(-1)}000${row}` }),
      );
      await rig.add(rows, { policy, batch_id: run.replace('run', 'batch'), run_id: run });
    }
    const runner = rig.runner();
    const running = runner.run(Number.POSITIVE_INFINITY);
    const after = (ms: number) => rig.clock.drive(rig.clock.sleep(ms));
    await after(10 * minute);
    assert.equal(rig.service.creates.length, 0);
    rig.service.purse.opening = 250;
    await after(10 * minute);
    assert.equal(rig.service.creates.length, 0, 'money that is not enough for either pays a part of none');
    rig.service.purse.opening = 350;
    await after(10 * minute);
    assert.deepEqual([(await rig.batch()).status, (await rig.batch('batch-2')).status], ['completed', 'completed']);
    runner.stop();
    await rig.clock.drive(running);
  });

  test('pauses no batch that has nothing left to send', async () => {
    const rig = await makeRig({ settleMs: 60 * minute, settings: { idlePollMs: 1_000 } });
    rig.service.script('run-2/ref-2', 'cannot_pay');
    await rig.add(someRows(1));
    const runner = rig.runner();
    const running = runner.run(Number.POSITIVE_INFINITY);
    await rig.clock.drive(rig.clock.sleep(10_000));
    assert.deepEqual(await rig.states(), ['accepted']);
    await rig.add([aRow(2)], { batch_id: 'batch-2', run_id: 'run-2' });
    await rig.clock.drive(rig.clock.sleep(10_000));
    const [sent, short] = [await rig.batch('batch-1'), await rig.batch('batch-2')];
    assert.deepEqual([sent.status, sent.pause_reason], ['running', null]);
    assert.deepEqual([short.status, short.pause_reason], ['paused', 'insufficient_balance']);
    runner.stop();
    await rig.clock.drive(running);
  });

  test('otherwise waits for a person', async () => {
    const { rig, after, stop } = await shortOfMoney(false);
    rig.service.purse.opening = 10;
    await after(60 * minute);
    await stop();
    assert.deepEqual([rig.service.charges.length, (await rig.batch()).status], [2, 'paused']);
    const attempts = await Promise.all([1, 2, 3, 4, 5].map(async (rowNo) => (await rig.row(rowNo)).attempts));
    assert.deepEqual(attempts.sort(), [0, 0, 0, 1, 1], 'what was refused for want of money is charged to no row');
  });

  test('does not continue by itself after the service showed a wrong payment: a person must look', async () => {
    const rig = await makeRig({ settings: { resumeWhenFunded: true }, paceMs: 1_000 });
    rig.service.purse.opening = 2;
    rig.service.script('run-1/ref-1', 'lose_answer');
    const { lookup } = rig.service;
    rig.service.lookup = async (reference) => {
      const found = await lookup(reference);
      if (found.kind === 'found' && reference === 'run-1/ref-1')
        found.payments = found.payments.map((one) => ({ ...one, amount: { value: '7', currency: 'KES' } }));
      return found;
    };
    await rig.add(someRows(6));
    const runner = rig.runner();
    const running = runner.run(Number.POSITIVE_INFINITY);
    await rig.clock.drive(rig.clock.sleep(minute));
    assert.equal((await rig.batch()).pause_reason, 'insufficient_balance');
    await rig.clock.drive(rig.clock.sleep(9 * minute));
    const { pause_reason, pause_detail } = await rig.batch();
    assert.equal(pause_reason, 'service_mismatch');
    assert.match(pause_detail ?? '', /another amount under the reference of row 1/);
    rig.service.purse.opening = 100;
    await rig.clock.drive(rig.clock.sleep(10 * minute));
    runner.stop();
    await rig.clock.drive(running);
    assert.equal((await rig.batch()).status, 'paused');
    assert.equal(rig.service.charges.length, 2);
    const pauses = await rig.db.query<{ body: string }>(
      `SELECT body FROM events WHERE kind = 'batch.pause' ORDER BY seq`,
    );
    assert.deepEqual(
      pauses.map(({ body }) => (JSON.parse(body) as { reason: string }).reason),
      ['insufficient_balance', 'service_mismatch'],
    );
  });
});
