import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { releaseRows, resumeBatch } from '../../src/engine/acts.ts';
import { retryFailed } from '../../src/engine/decisions.ts';
import { makeRig, type Rig, someRows } from '../support/engine.ts';
import { aRow } from '../support/ledger.ts';
import { makeOpenLimiter } from '../support/open-limiter.ts';

const dayMs = 24 * 3_600_000;
const mary = ({ db, clock }: Rig) => ({ db, clock, name: 'mary' });

/** Has three rows paid by run-1, and gives the same three to run-2 after `days`. */
async function paidTwice(days: number, policy = '{}'): Promise<Rig> {
  const rig = await makeRig();
  await rig.add(someRows(3));
  await rig.run();
  await rig.clock.drive(rig.clock.sleep(days * dayMs));
  await rig.add(someRows(4), { batch_id: 'batch-2', run_id: 'run-2', policy, created_at: rig.clock.now() });
  await rig.run();
  return rig;
}

describe('the same payment under another run id', () => {
  test('is held for a person when it was sent within seven days, and says where', async () => {
    const rig = await paidTwice(3);
    assert.deepEqual(await rig.states('batch-2'), ['held', 'held', 'held', 'completed']);
    assert.match((await rig.row(2, 'batch-2')).problems ?? '', /SENT_LATELY.*batch-1, row 2 \(run run-1, completed\)/);
    assert.equal(rig.service.charges.length, 4);
    assert.notEqual((await rig.batch('batch-2')).status, 'completed');
  });

  test('goes once a person has released it, and is not held again', async () => {
    const rig = await paidTwice(3);
    const { released } = await releaseRows(mary(rig), 'batch-2', [2]);
    assert.equal(released, 1);
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['held', 'completed', 'held', 'completed']);
    assert.equal(rig.service.charges.length, 5);
  });

  test('goes when it is longer ago, or when the policy says so', async () => {
    assert.equal((await paidTwice(8)).service.charges.length, 7);
    assert.equal((await paidTwice(3, '{"repeatWithinDays":2}')).service.charges.length, 7);
    assert.equal((await paidTwice(3, '{"repeatWithinDays":0}')).service.charges.length, 7);
  });

  test('goes when only the number is the same, or only the amount', async () => {
    const rig = await makeRig();
    await rig.add([aRow(1)]);
    await rig.run();
    const others = [aRow(1, { amount: '999' }), aRow(2, { amount: '101' })];
    await rig.add(others, { batch_id: 'batch-2', run_id: 'run-2', created_at: rig.clock.now() });
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['completed', 'completed']);
  });

  test('is held in a corrected file of the same run, where its reference is another one', async () => {
    const rig = await makeRig();
    await rig.add(someRows(2));
    await rig.run();
    const corrected = [aRow(1, { row_ref: 'EMP-1' }), aRow(2), aRow(3)];
    await rig.add(corrected, { batch_id: 'batch-2', created_at: rig.clock.now() });
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['held', 'skipped', 'completed']);
    assert.match((await rig.row(1, 'batch-2')).problems ?? '', /SENT_LATELY.*batch-1, row 1 \(run run-1, completed\)/);
    assert.equal(rig.service.charges.length, 3);
  });

  test('is held when it was sent after the row was released, by a person who could not know of it', async () => {
    const rig = await makeRig();
    rig.service.ends('run-1/ref-1', 'failed');
    await rig.add([aRow(1, { status: 'held' })]);
    await releaseRows(mary(rig), 'batch-1', [1]);
    await rig.run();
    await rig.clock.drive(rig.clock.sleep(dayMs));
    await rig.add([aRow(1)], { batch_id: 'batch-2', run_id: 'run-2', created_at: rig.clock.now() });
    await rig.run();
    const service = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock) };
    await rig.clock.drive(retryFailed(mary(rig), service, 'batch-1', { codes: [], generationsMax: 3 }));
    await rig.run();
    assert.deepEqual([await rig.states('batch-1'), await rig.states('batch-2')], [['held'], ['completed']]);
    assert.equal((await releaseRows(mary(rig), 'batch-1', [1])).released, 1);
    await rig.run();
    assert.deepEqual(await rig.states('batch-1'), ['completed']);
  });

  test('is held where the other run first asked in vain, and paid days later under the next generation', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'cannot_pay');
    await rig.add(someRows(1));
    await rig.run();
    await rig.clock.drive(rig.clock.sleep(10 * dayMs));
    await resumeBatch(mary(rig), 'batch-1');
    await rig.run();
    assert.deepEqual([(await rig.row(1)).status, (await rig.row(1)).generation], ['completed', 2]);
    await rig.clock.drive(rig.clock.sleep(dayMs));
    await rig.add(someRows(1), { batch_id: 'batch-2', run_id: 'run-2', created_at: rig.clock.now() });
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['held']);
    assert.equal(rig.service.charges.length, 1);
  });

  for (const rowsPerAdmission of [1, 16]) {
    test(`is found between two batches that were approved before either was sent, ${rowsPerAdmission} rows at a time`, async () => {
      const rig = await makeRig({ settings: { rowsPerAdmission } });
      await rig.add(someRows(2));
      await rig.add(someRows(2), { batch_id: 'batch-2', run_id: 'run-2' });
      await rig.run();
      assert.equal(rig.service.charges.length, 2);
      const states = [...(await rig.states('batch-1')), ...(await rig.states('batch-2'))].sort();
      assert.deepEqual(states, ['completed', 'completed', 'held', 'held']);
    });
  }

  test('goes when the other run failed for sure, and is held when it may have arrived', async () => {
    const rig = await makeRig();
    await rig.add(someRows(2));
    await rig.run();
    await rig.db.execute(`UPDATE rows SET status = 'failed', service_status = 'FAILED' WHERE row_no = 1`);
    await rig.db.execute(`UPDATE rows SET status = 'failed', service_status = 'UNDERLIVERED' WHERE row_no = 2`);
    await rig.add(someRows(2), { batch_id: 'batch-2', run_id: 'run-2' });
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['completed', 'held']);
    assert.match((await rig.row(2, 'batch-2')).problems ?? '', /run-1, UNDERLIVERED/);
  });
});
