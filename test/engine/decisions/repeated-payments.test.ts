import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { resumeBatch } from '../../../src/engine/batches/batch-commands.ts';
import { releaseRows } from '../../../src/engine/decisions/release-or-skip.ts';
import { retryFailed } from '../../../src/engine/decisions/retry-failed.ts';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';
import { aRow } from '../../support/ledger.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';

const dayMs = 24 * 3_600_000;
const mary = ({ db, clock }: Rig) => ({ db, clock, person: 'mary', through: 'cli' as const });

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
  test('is held for a person if it was sent within seven days, and shows which one', async () => {
    const rig = await paidTwice(3);
    assert.deepEqual(await rig.states('batch-2'), ['held', 'held', 'held', 'completed']);
    assert.match((await rig.row(2, 'batch-2')).problems ?? '', /SENT_LATELY.*batch-1, row 2 \(run run-1, completed\)/);
    assert.equal(rig.service.charges.length, 4);
    assert.notEqual((await rig.batch('batch-2')).status, 'completed');
  });

  test('then waits only for a person: no look-up of it is due, though one was scheduled', async () => {
    const rig = await makeRig();
    await rig.add([aRow(1)]);
    await rig.run();
    await rig.add([aRow(1)], { batch_id: 'batch-2', run_id: 'run-2', created_at: rig.clock.now() });
    await rig.db.execute(`UPDATE rows SET next_action_at = 1 WHERE batch_id = 'batch-2'`);
    await rig.run();
    const { status, next_action_at } = await rig.row(1, 'batch-2');
    assert.deepEqual([status, next_action_at], ['held', null]);
  });

  test('is held if it was within seven days of the file, however long the batch has waited since', async () => {
    const rig = await makeRig();
    await rig.add([aRow(1)]);
    await rig.run();
    const created_at = rig.clock.now() + 3 * dayMs;
    await rig.clock.drive(rig.clock.sleep(9 * dayMs));
    await rig.add([aRow(1)], { batch_id: 'batch-2', run_id: 'run-2', created_at });
    await rig.run();
    assert.deepEqual([await rig.states('batch-2'), rig.service.charges.length], [['held'], 1]);
  });

  test('is sent once a person has released it, and is not held again', async () => {
    const rig = await paidTwice(3);
    const { released } = await releaseRows(mary(rig), 'batch-2', [2]);
    assert.equal(released, 1);
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['held', 'completed', 'held', 'completed']);
    assert.equal(rig.service.charges.length, 5);
  });

  test('is sent if the other is older, or if the policy says so', async () => {
    assert.equal((await paidTwice(8)).service.charges.length, 7);
    assert.equal((await paidTwice(3, '{"repeatWithinDays":2}')).service.charges.length, 7);
    assert.equal((await paidTwice(3, '{"repeatWithinDays":0}')).service.charges.length, 7);
  });

  test('is also held if the clock was days ahead while its file was read', async () => {
    const rig = await makeRig();
    await rig.add([aRow(1)]);
    await rig.run();
    await rig.clock.drive(rig.clock.sleep(3 * dayMs));
    const created_at = rig.clock.now() + 6 * dayMs;
    await rig.add([aRow(1)], { batch_id: 'batch-2', run_id: 'run-2', created_at });
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['held']);
  });

  test('is sent if the policy compares no runs, also if the other was sent after the file was read', async () => {
    const rig = await makeRig();
    await rig.add([aRow(1)]);
    await rig.run();
    const created_at = rig.clock.now() - dayMs;
    await rig.add([aRow(1)], { batch_id: 'batch-2', run_id: 'run-2', policy: '{"repeatWithinDays":0}', created_at });
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['completed']);
  });

  test('is sent if only the number is the same, or only the amount', async () => {
    const rig = await makeRig();
    await rig.add([aRow(1)]);
    await rig.run();
    const others = [aRow(1, { amount: '999' }), aRow(2, { amount: '101' })];
    await rig.add(others, { batch_id: 'batch-2', run_id: 'run-2', created_at: rig.clock.now() });
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['completed', 'completed']);
  });

  test('is sent next to held rows of other numbers: each row is compared with payments to its own number', async () => {
    const rig = await makeRig({ settings: { rowsPerAdmission: 16 } });
    const policy = JSON.stringify({ recipientMaximum: { days: 30, sums: { KES: '150' } } });
    const rows = [aRow(1, { amount: '100' }), aRow(2, { amount: '100' })];
    await rig.add(rows.slice(0, 1));
    await rig.run();
    await rig.add(rows, { batch_id: 'batch-2', run_id: 'run-2', policy, created_at: rig.clock.now() });
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['held', 'completed']);
  });

  test('is held in a corrected file of the same run with another reference', async () => {
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

  test('is held if the other was sent after a person released the row, who could not know of it', async () => {
    const rig = await makeRig();
    rig.service.ends('run-1/ref-1', 'failed');
    await rig.add([aRow(1, { status: 'held' })]);
    await releaseRows(mary(rig), 'batch-1', [1]);
    await rig.run();
    await rig.clock.drive(rig.clock.sleep(dayMs));
    await rig.add([aRow(1)], { batch_id: 'batch-2', run_id: 'run-2', created_at: rig.clock.now() });
    await rig.run();
    const service = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock) };
    await rig.clock.drive(retryFailed(mary(rig), service, 'batch-1', { codes: [] }));
    await rig.run();
    assert.deepEqual([await rig.states('batch-1'), await rig.states('batch-2')], [['held'], ['completed']]);
    assert.equal((await releaseRows(mary(rig), 'batch-1', [1])).released, 1);
    await rig.run();
    assert.deepEqual(await rig.states('batch-1'), ['completed']);
  });

  test('is held if the other run first failed, and paid days later', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'cannot_pay');
    await rig.add(someRows(1));
    await rig.run();
    await rig.clock.drive(rig.clock.sleep(10 * dayMs));
    await resumeBatch(mary(rig), 'batch-1');
    await rig.run();
    assert.deepEqual([(await rig.row(1)).status, (await rig.row(1)).generation], ['completed', 1]);
    await rig.clock.drive(rig.clock.sleep(dayMs));
    await rig.add(someRows(1), { batch_id: 'batch-2', run_id: 'run-2', created_at: rig.clock.now() });
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['held']);
    assert.equal(rig.service.charges.length, 1);
  });

  test('is held again if another run has paid between the hold and the release, which the person did not see', async () => {
    const rig = await paidTwice(1);
    await rig.add(someRows(1), { batch_id: 'batch-3', run_id: 'run-3', created_at: rig.clock.now() });
    await rig.run();
    for (const [batchId, state] of [
      ['batch-2', 'completed'],
      ['batch-3', 'held'],
      ['batch-3', 'completed'],
    ] as const) {
      await releaseRows(mary(rig), batchId, [1]);
      await rig.run();
      assert.equal((await rig.row(1, batchId)).status, state);
      if (state === 'held') assert.match((await rig.row(1, batchId)).problems ?? '', /SENT_LATELY.*batch-2, row 1/);
    }
  });

  test('is held again if the other run was refused before the hold, and has paid since', async () => {
    const rig = await makeRig();
    const payFrom = async (run: number, amount: string) => {
      const batch = { batch_id: `batch-${run}`, run_id: `run-${run}`, created_at: rig.clock.now() };
      await rig.add([aRow(1, { amount })], batch);
      await rig.run();
      return (await rig.row(1, batch.batch_id)).status;
    };
    rig.service.script('run-1/ref-1', 'cannot_pay');
    assert.equal(await payFrom(1, '100'), 'ready');
    assert.equal(await payFrom(2, '100'), 'completed');
    assert.equal(await payFrom(3, '100'), 'held');
    await resumeBatch(mary(rig), 'batch-1');
    await rig.run();
    assert.equal((await rig.row(1)).status, 'held');
    await releaseRows(mary(rig), 'batch-1', [1]);
    await rig.run();
    assert.equal((await rig.row(1)).status, 'completed');
    await releaseRows(mary(rig), 'batch-3', [1]);
    await rig.run();
    assert.equal((await rig.row(1, 'batch-3')).status, 'held');
  });

  test('is held if a person has released the row for another reason, and did not see the payment', async () => {
    const rig = await makeRig();
    await rig.add(someRows(1));
    await rig.run();
    await rig.clock.drive(rig.clock.sleep(dayMs));
    const problems = JSON.stringify([{ code: 'NUMBER_MAXIMUM', column: null, message: 'x', suggestion: 'x' }]);
    const held = { batch_id: 'batch-2', run_id: 'run-2', created_at: rig.clock.now() };
    await rig.add([aRow(1, { status: 'held', problems })], held);
    await releaseRows(mary(rig), 'batch-2', [1]);
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['held']);
    assert.match((await rig.row(1, 'batch-2')).problems ?? '', /SENT_LATELY.*batch-1, row 1/);
    await releaseRows(mary(rig), 'batch-2', [1]);
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['completed']);
  });

  test('is held if the row was released for a look-up of its earlier payment, and the other run paid before', async () => {
    const rig = await makeRig();
    rig.service.ends('run-1/ref-1', 'failed');
    await rig.add(someRows(1));
    await rig.run();
    await rig.add(someRows(1), { batch_id: 'batch-2', run_id: 'run-2', created_at: rig.clock.now() });
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['completed']);
    const service = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock) };
    await rig.clock.drive(retryFailed(mary(rig), service, 'batch-1', { codes: [] }));
    rig.service.ends('run-1/ref-1', 'open');
    await rig.run();
    assert.match((await rig.row(1)).problems ?? '', /MAY_BE_PAID/);
    rig.service.ends('run-1/ref-1', 'failed');
    await rig.clock.drive(rig.clock.sleep(dayMs));
    await releaseRows(mary(rig), 'batch-1', [1]);
    await rig.run();
    assert.match((await rig.row(1)).problems ?? '', /SENT_LATELY.*batch-2, row 1/);
    assert.equal(rig.service.charges.length, 2);
  });

  test('is held if a restored ledger found the payment at the service, and shows its time', async () => {
    const rig = await makeRig();
    const { clock, service } = rig;
    const { phone_number: phoneNumber, amount: value, currency } = aRow(1);
    // What the lost part of the ledger has sent.
    const order = { phoneNumber, amount: { value, currency }, productId: null, reference: 'run-1/ref-1' };
    await clock.drive(service.create({ body: JSON.stringify(order), idempotencyKey: 'lost' }));
    const paidAt = clock.now();
    await clock.drive(clock.sleep(2 * dayMs));
    await rig.add(someRows(1));
    await clock.drive(rig.runner({ restored: true }).run(36 * 3_600_000));
    assert.deepEqual([await rig.states(), (await rig.row(1)).first_sent_at], [['completed'], paidAt]);
    await rig.add(someRows(1), { batch_id: 'batch-2', run_id: 'run-2', created_at: clock.now() });
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['held']);
    assert.equal(service.charges.length, 1);
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

  test('is sent if the other run certainly failed, and is held if that may have arrived', async () => {
    const rig = await makeRig();
    for (const reference of ['run-1/ref-1', 'run-1/ref-2']) rig.service.ends(reference, 'failed');
    await rig.add(someRows(2));
    await rig.run();
    await rig.db.execute(`UPDATE rows SET service_status = 'UNDERLIVERED' WHERE row_no = 2`);
    await rig.add(someRows(2), { batch_id: 'batch-2', run_id: 'run-2' });
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['completed', 'held']);
    assert.match((await rig.row(2, 'batch-2')).problems ?? '', /run-1, UNDERLIVERED/);
  });
});
