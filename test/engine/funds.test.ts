import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeRig, someRows } from '../support/engine.ts';

const minute = 60_000;

/** Five rows and money for two, worked on by a program that stays; `resumeWhenFunded` as given. */
async function shortOfMoney(resumeWhenFunded: boolean) {
  const rig = await makeRig({ settings: { resumeWhenFunded } });
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

describe('an account whose money ran out', () => {
  test('goes on by itself once a wallet holds more, where the configuration says so', async () => {
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

  test('waits anew when what came is not enough, and goes on with the next money', async () => {
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

  test('waits for a person otherwise', async () => {
    const { rig, after, stop } = await shortOfMoney(false);
    rig.service.purse.opening = 10;
    await after(60 * minute);
    await stop();
    assert.deepEqual([rig.service.charges.length, (await rig.batch()).status], [2, 'paused']);
    const attempts = await Promise.all([1, 2, 3, 4, 5].map(async (rowNo) => (await rig.row(rowNo)).attempts));
    assert.deepEqual(attempts.sort(), [0, 0, 0, 1, 1], 'what was refused for want of money is charged to no row');
  });
});
