import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { releaseRows, skipRows } from '../../src/engine/acts.ts';
import { retryFailed } from '../../src/engine/decisions.ts';
import { makeRig, type Rig, someRows } from '../support/engine.ts';
import { aRow } from '../support/ledger.ts';
import { makeOpenLimiter } from '../support/open-limiter.ts';

/**
 * Batch 1 has failed in row 1 and paid row 2. Batch 2 of the same run asks for row 1 again, for another amount under the reference
 * of row 2, and for a row 3 of its own that a person is to look at; all three are held.
 */
async function heldRows(): Promise<Rig> {
  const rig = await makeRig();
  rig.service.ends('run-1/ref-1', 'failed');
  await rig.add(someRows(2));
  await rig.run();
  assert.deepEqual(await rig.states(), ['failed', 'completed']);
  const rows = [aRow(1), aRow(2, { amount: '999' }), aRow(3, { status: 'held' })];
  await rig.add(rows, { batch_id: 'batch-2' });
  await rig.run();
  assert.deepEqual(await rig.states('batch-2'), ['held', 'held', 'held']);
  return rig;
}

const mary = ({ db, clock }: Rig) => ({ db, clock, name: 'mary' });

describe('releasing rows whose reference another batch has', () => {
  for (const [rowNos, code, hint] of [
    [[1], 'FAILED_BEFORE', /airbatch retry batch-1/],
    [[3, 1], 'FAILED_BEFORE', /airbatch retry batch-1/],
    [[3, 2], 'REFERENCE_REUSED', /new reference/],
  ] as const) {
    test(`is refused where they are named (${rowNos}), and releases none of the others`, async () => {
      const rig = await heldRows();
      await assert.rejects(
        releaseRows(mary(rig), 'batch-2', rowNos),
        (error: Error & { code: string; hint: string }) => {
          assert.equal(error.code, 'ROW_NOT_RELEASABLE');
          assert.match(
            error.message,
            new RegExp(`row ${rowNos.at(-1)} of batch batch-2 .*${code}.*batch batch-1, row`),
          );
          assert.match(error.hint, hint);
          return true;
        },
      );
      assert.deepEqual(await rig.states('batch-2'), ['held', 'held', 'held']);
    });
  }

  test('leaves them held where all are released, and says so', async () => {
    const rig = await heldRows();
    const { released, kept } = await releaseRows(mary(rig), 'batch-2', []);
    assert.equal(released, 1);
    assert.deepEqual(
      kept.map(({ row, code }) => [row, code]),
      [
        [1, 'FAILED_BEFORE'],
        [2, 'REFERENCE_REUSED'],
      ],
    );
    assert.match((await rig.row(1, 'batch-2')).problems ?? '', /FAILED_BEFORE/);
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['held', 'held', 'completed']);
    assert.equal(await skipRows(mary(rig), 'batch-2', [], 'retried in batch-1'), 2);
  });

  test('is possible once the other batch has paid the row: it is then skipped', async () => {
    const rig = await heldRows();
    rig.service.ends('run-1/ref-1~2', 'completed');
    const service = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock, { paceMs: 0 }) };
    const retrying = retryFailed(mary(rig), service, 'batch-1', { codes: [], generationsMax: 5 });
    assert.equal((await rig.clock.drive(retrying)).retried, 1);
    await rig.run();
    assert.deepEqual(await rig.states(), ['completed', 'completed']);
    assert.equal((await releaseRows(mary(rig), 'batch-2', [1])).released, 1);
    await rig.run();
    assert.equal((await rig.states('batch-2'))[0], 'skipped');
    assert.equal(rig.service.charges.filter(({ reference }) => reference === 'run-1/ref-1').length, 1);
  });
});

test('a row that is released while another of the batch is still open is sent at once, by the program that runs', async () => {
  const rig = await makeRig({ settleMs: 100 * 24 * 3_600_000 });
  await rig.add([aRow(1, { status: 'held' }), aRow(2)]);
  const runner = rig.runner();
  const running = runner.run(Number.POSITIVE_INFINITY);
  await rig.clock.drive(rig.clock.sleep(10 * 60_000));
  assert.deepEqual(await rig.states(), ['held', 'accepted']);
  await rig.clock.drive(releaseRows(mary(rig), 'batch-1', []));
  await rig.clock.drive(rig.clock.sleep(2 * 60_000));
  assert.deepEqual(await rig.states(), ['accepted', 'accepted']);
  assert.equal(rig.service.creates.length, 2);
  runner.stop();
  await rig.clock.drive(running);
});
