import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BatchRecord } from '../../../src/ledger/batches/batches.ts';
import { differsBy, reviewOf } from '../../../src/reports/summary/review.ts';
import { makeRig } from '../../support/engine.ts';
import { aBatch, addBatch, aRow } from '../../support/ledger.ts';

const number = (index: number) => `+2547121${String(index).padStart(5, '0')}`;

/** October's run of a job, paid; and November's, to be approved. */
async function twoMonths() {
  const rig = await makeRig();
  const october = [1, 2, 3, 4].map((index) => aRow(index, { phone_number: number(index), amount: '100' }));
  await rig.add(october, { job: 'payroll', run_id: 'october', created_at: rig.clock.now() });
  await rig.run();
  const rows = [
    aRow(1, { phone_number: number(1), amount: '100.00' }),
    aRow(2, { phone_number: number(2), amount: '110' }),
    aRow(3, { phone_number: number(3), amount: '1000' }),
    aRow(4, { phone_number: number(5), amount: '90' }),
    aRow(5, { phone_number: number(6), amount: '95', status: 'held', problems: '[{"code":"DUPLICATE"}]' }),
    aRow(6, { phone_number: null, amount: null, status: 'invalid', problems: '[]' }),
    ...[7, 8, 9].map((rowNo) => aRow(rowNo, { phone_number: number(rowNo), amount: '5', currency: 'UGX' })),
  ];
  const november = aBatch({ batch_id: 'batch-2', job: 'payroll', run_id: 'november' });
  await addBatch(
    rig.db,
    rig.clock,
    november,
    rows.map((row) => ({ ...row, batch_id: 'batch-2' })),
  );
  return { rig, november: november as BatchRecord };
}

describe('what an approver sees', () => {
  test('lists the largest rows of each currency, and held rows', async () => {
    const { rig, november } = await twoMonths();
    const { largest, held } = await reviewOf(rig.db, november, 20);
    assert.deepEqual(
      largest.map(({ row, amount, currency }) => [row, amount, currency]),
      [
        [3, '1000', 'KES'],
        [2, '110', 'KES'],
        [1, '100.00', 'KES'],
        [4, '90', 'KES'],
        [7, '5', 'UGX'],
        [8, '5', 'UGX'],
        [9, '5', 'UGX'],
      ],
    );
    assert.deepEqual(held, { DUPLICATE: 1 });
  });

  test('lists numbers that are new since the last run of the job, and amounts that changed by more than a percentage', async () => {
    const { rig, november } = await twoMonths();
    const { since } = await reviewOf(rig.db, november, 20);
    assert.equal(since?.batch_id, 'batch-1');
    assert.deepEqual(since?.cost, { USD: '4' });
    assert.equal(since?.new_numbers, 5);
    assert.deepEqual(
      since?.new_examples.map(({ row }) => row),
      [4, 5, 7, 8, 9],
    );
    assert.equal(since?.changed, 1);
    assert.deepEqual(
      since?.changed_examples.map(({ row, before, amount }) => [row, before, amount]),
      [[3, '100', '1000']],
    );
    const strict = await reviewOf(rig.db, november, 5);
    assert.deepEqual(
      strict.since?.changed_examples.map(({ row }) => row),
      [2, 3],
    );
  });

  test('compares with rows that failed in the last run and arrived after all', async () => {
    const { rig, november } = await twoMonths();
    await rig.db.execute("UPDATE rows SET status = 'failed' WHERE batch_id = 'batch-1' AND row_no IN (3, 4)");
    const of = async () => {
      const { since } = await reviewOf(rig.db, november, 20);
      return [since?.missing_numbers, since?.changed];
    };
    assert.deepEqual(await of(), [0, 0]);
    await rig.db.execute("UPDATE rows SET contradicted = 'completed' WHERE batch_id = 'batch-1' AND status = 'failed'");
    assert.deepEqual(await of(), [1, 1]);
  });

  test('compares with nothing if the job has not run before', async () => {
    const { rig, november } = await twoMonths();
    assert.equal((await reviewOf(rig.db, { ...november, job: 'promo' }, 20)).since, null);
  });

  test('compares with the batch that shares most of its numbers if no job brought it', async () => {
    const { rig, november } = await twoMonths();
    const byHand = { ...november, job: null, created_at: rig.clock.now() };
    assert.equal((await reviewOf(rig.db, byHand, 20)).since, null, 'a batch of a job is no batch of a person');
    await rig.db.execute(`UPDATE batches SET job = NULL`);
    const { since } = await reviewOf(rig.db, byHand, 20);
    assert.deepEqual([since?.batch_id, since?.new_numbers, since?.changed], ['batch-1', 5, 1]);
    assert.equal(since?.missing_numbers, 1);
    assert.deepEqual(since?.missing_examples, [{ row: 4, phone_number: number(4), currency: 'KES', amount: '100' }]);
    await rig.db.execute(`DELETE FROM rows WHERE batch_id = ? AND row_no = 3`, [november.batch_id]);
    assert.equal((await reviewOf(rig.db, byHand, 20)).since?.missing_numbers, 2);
    const muchLater = { ...byHand, created_at: byHand.created_at + 90 * 86_400_000 };
    assert.equal((await reviewOf(rig.db, muchLater, 20)).since, null);
  });

  test('compares amounts as decimals, not as texts', () => {
    assert.equal(differsBy('100', '100.00', 1), false);
    assert.equal(differsBy('100', '120', 20), false);
    assert.equal(differsBy('100', '120.01', 20), true);
    assert.equal(differsBy('100', '79.99', 20), true);
  });
});
