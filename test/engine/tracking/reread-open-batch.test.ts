import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { releaseRows } from '../../../src/engine/decisions/release-or-skip.ts';
import { makeRig, type Rig } from '../../support/engine.ts';
import { aRow } from '../../support/ledger.ts';

const hour = 3_600_000;
/** Days go by in these tests: looking and renewing now and then is enough. */
const settings = { idlePollMs: hour, leaseTtlMs: 10 * hour };

/** A program that stays until `hours` after the batch has started. */
async function stayUntil(rig: Rig, hours: number): Promise<void> {
  const runner = rig.runner({ rereads: true });
  const running = runner.run(Number.POSITIVE_INFINITY);
  const { started_at } = await rig.batch();
  await rig.clock.drive(rig.clock.sleep((started_at ?? 0) + hours * hour - rig.clock.now()));
  runner.stop();
  await rig.clock.drive(running);
}

/** Rows 1 and 2 have ended, the second as failed. Rows 3 and 4 are held, so that the batch stays open. */
async function heldOpen(list: boolean): Promise<Rig> {
  const rig = await makeRig({ list, settings });
  rig.service.ends('run-1/ref-2', 'failed');
  await rig.add([aRow(1), aRow(2), aRow(3, { status: 'held' }), aRow(4, { status: 'held' })]);
  await rig.run();
  assert.deepEqual(await rig.states(), ['completed', 'failed', 'held', 'held']);
  return rig;
}

const release = ({ db, clock }: Rig, rowNo: number) =>
  releaseRows({ db, clock, person: 'mary', through: 'cli' }, 'batch-1', [rowNo]);

async function noted({ db }: Rig): Promise<number[]> {
  const events = await db.query<{ row_no: number }>(
    `SELECT row_no FROM events WHERE kind = 'row.changed_late' ORDER BY row_no`,
  );
  return events.map(({ row_no }) => row_no);
}

for (const [service, list] of [
  ['that is asked by its list', true],
  ['without a list', false],
] as const)
  describe(`a batch that stays open, at a service ${service}`, () => {
    test('has its ended rows read once more, a day or two after their end', async () => {
      const rig = await heldOpen(list);
      rig.service.ends('run-1/ref-1', 'failed');
      rig.service.ends('run-1/ref-2', 'completed');
      await stayUntil(rig, 23);
      assert.deepEqual(await noted(rig), []);
      await stayUntil(rig, 50);
      assert.deepEqual(await noted(rig), [1, 2]);
      assert.equal((await rig.row(2)).contradicted, 'completed');
      assert.deepEqual(await rig.states(), ['completed', 'failed', 'held', 'held']);
      await stayUntil(rig, 200);
      assert.deepEqual(await noted(rig), [1, 2], 'each is recorded once');
    });

    test('has rows read that end later, also the last ones, and none twice', async () => {
      const rig = await heldOpen(list);
      rig.service.ends('run-1/ref-1', 'failed');
      await stayUntil(rig, 60);
      assert.deepEqual(await noted(rig), [1]);
      await release(rig, 3);
      await stayUntil(rig, 61);
      rig.service.ends('run-1/ref-3', 'failed');
      await stayUntil(rig, 110);
      assert.deepEqual(await noted(rig), [1, 3]);
      await release(rig, 4);
      await stayUntil(rig, 111);
      assert.equal((await rig.batch()).status, 'completed');
      rig.service.ends('run-1/ref-4', 'failed');
      await stayUntil(rig, 140);
      assert.deepEqual(await noted(rig), [1, 3, 4]);
    });

    test('is read to its end after it has completed, however long it was open while no program ran', async () => {
      const rig = await heldOpen(list);
      await rig.clock.drive(rig.clock.sleep(200 * hour));
      await release(rig, 3);
      await release(rig, 4);
      await rig.run();
      assert.equal((await rig.batch()).status, 'completed');
      for (const rowNo of [1, 3, 4]) rig.service.ends(`run-1/ref-${rowNo}`, 'failed');
      await stayUntil(rig, 230);
      assert.deepEqual(await noted(rig), [1, 3, 4]);
      const { reread_at, completed_at } = await rig.batch();
      assert.equal(reread_at, completed_at);
      const { length: lookUps } = rig.service.lookUps;
      await stayUntil(rig, 300);
      assert.equal(rig.service.lookUps.length, lookUps);
    });
  });

test('the days in which no row of an open batch ends cost no request', async () => {
  const rig = await heldOpen(true);
  await stayUntil(rig, 50);
  const { length: lists } = rig.service.lists;
  await stayUntil(rig, 400);
  assert.deepEqual([rig.service.lists.length, rig.service.lookUps], [lists, []]);
});

test('a row that has not ended, and that the list shows with an older one, is no difference', async () => {
  const rig = await makeRig({ settings: { ...settings, readDelayMsMax: hour, oldReadsMsMax: hour } });
  rig.service.ends('run-1/ref-2', 'open');
  await rig.add([aRow(1), aRow(2)]);
  await rig.clock.drive(Promise.race([rig.runner().run(hour), rig.clock.sleep(2 * hour)]));
  for (const payment of rig.service.payments.values()) payment.cost = { value: '2', currency: 'USD' };
  await stayUntil(rig, 50);
  assert.deepEqual([await rig.states(), await noted(rig)], [['completed', 'accepted'], [1]]);
});
