import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { z } from 'zod';
import { inUnit } from '../../../src/ledger/unit-of-work.ts';
import { performIn, type RoleOperation } from '../../../src/operations/base/operation.ts';
import { releaseRows } from '../../../src/operations/rows/release-rows.ts';
import { reviewRelease } from '../../../src/operations/rows/review-release.ts';
import { skipRows } from '../../../src/operations/rows/skip-rows.ts';
import type { Session } from '../../../src/runtime/session/session.ts';
import { makeRig, someRows } from '../../support/engine.ts';
import { aBatch, addBatch, aRow } from '../../support/ledger.ts';

const problem = (code: string, earlier_batch?: string) =>
  JSON.stringify([{ code, earlier_batch, column: null, message: `${code} it is`, suggestion: '' }]);

/** Row 1 waits for nothing; rows 2 and 3 repeat batch A, row 4 repeats batch B, row 5 is unusual. */
async function held(people: object = {}, batch: Parameters<typeof aBatch>[0] = {}) {
  const rig = await makeRig();
  const rows = [
    aRow(1),
    ...[2, 3].map((rowNo) => aRow(rowNo, { status: 'held', problems: problem('SENT_LATELY', 'A') })),
    aRow(4, { status: 'held', problems: problem('SENT_LATELY', 'B') }),
    aRow(5, { status: 'held', problems: problem('AMOUNT_UNUSUAL') }),
  ];
  await addBatch(rig.db, rig.clock, aBatch(batch), rows);
  const session = { ...{ db: rig.db, clock: rig.clock, config: { people }, person: 'mary' }, through: 'cli' };
  const perform = <Input extends z.ZodType, Result extends z.ZodType>(
    operation: RoleOperation<Input, Result>,
    input: z.input<Input>,
  ) => performIn(session as unknown as Session, operation, { nameOf: (field) => field }, input);
  return { rig, perform };
}

const batch_id = 'batch-1';

test('held rows are shown by why they are held and by the earlier batch, each group with its sum', async () => {
  const { perform } = await held();
  const { reasons, held: count, refusal, refusal_reason } = await perform(reviewRelease, { batch_id });
  assert.deepEqual([count, refusal, refusal_reason], [4, null, null]);
  assert.deepEqual(
    reasons.map(({ code, earlier_batch, count, sums }) => [code, earlier_batch, count, sums]),
    [
      ['SENT_LATELY', 'A', 2, { KES: '205' }],
      ['SENT_LATELY', 'B', 1, { KES: '104' }],
      ['AMOUNT_UNUSUAL', null, 1, { KES: '105' }],
    ],
  );
  const one = await perform(reviewRelease, { batch_id, code: 'SENT_LATELY', earlier_batch: 'A' });
  assert.deepEqual([one.held, one.sums, one.reasons.length], [2, { KES: '205' }, 1]);
});

test('the review of a release says why it needs another person, also in a form for other languages', async () => {
  const { perform } = await held({}, { status: 'awaiting_approval', created_by: 'mary' });
  const { refusal, refusal_reason } = await perform(reviewRelease, { batch_id });
  assert.equal(refusal, 'mary submitted batch batch-1, and cannot release rows of it');
  assert.deepEqual(refusal_reason, { code: 'OWN_BATCH', values: { did: 'submitted', name: 'mary' } });
});

test('a group is released, and no other row', async () => {
  const { rig, perform } = await held();
  const { released } = await perform(releaseRows, { batch_id, code: 'SENT_LATELY', earlier_batch: 'A' });
  assert.equal(released, 2);
  assert.deepEqual(await rig.states(), ['ready', 'ready', 'ready', 'held', 'held']);
  assert.equal((await perform(releaseRows, { batch_id, code: 'SENT_LATELY' })).released, 0, 'without an earlier batch');
});

test('an earlier batch without the reason of its group chooses nothing, and not all held rows', async () => {
  const { rig, perform } = await held();
  const wrong = { batch_id, earlier_batch: 'A' };
  await assert.rejects(perform(releaseRows, wrong), { code: 'USAGE' });
  await assert.rejects(perform(skipRows, { ...wrong, why: 'typed twice' }), { code: 'USAGE' });
  assert.deepEqual(await rig.states(), ['ready', 'held', 'held', 'held', 'held']);
});

test('a group is skipped with the reason, and no other row', async () => {
  const { rig, perform } = await held();
  const { skipped } = await perform(skipRows, { batch_id, code: 'AMOUNT_UNUSUAL', why: 'a slip' });
  assert.equal(skipped, 1);
  assert.deepEqual(await rig.states(), ['ready', 'held', 'held', 'held', 'skipped']);
  assert.match((await rig.row(5)).problems ?? '', /Skipped by mary: a slip/);
});

test('a group that was held after the person looked stays held', async () => {
  const { rig, perform } = await held();
  const { seen } = await perform(reviewRelease, { batch_id });
  await rig.db.execute(`UPDATE rows SET status = 'ready' WHERE row_no = 2`);
  const before = await rig.row(2);
  await inUnit(rig.db, { clock: rig.clock, actor: 'engine' }, async (unit) => {
    await unit.changeRow(before, 'hold', { problems: problem('SENT_LATELY', 'A') }, {});
  });
  const done = await perform(releaseRows, { batch_id, code: 'SENT_LATELY', earlier_batch: 'A', seen });
  assert.deepEqual([done.released, done.kept.map(({ row }) => row)], [1, [2]]);
});

test('a row that another batch has tried or paid names that batch', async () => {
  const { rig, perform } = await held();
  rig.service.ends('run-9/ref-1', 'failed');
  await rig.add(someRows(2), { batch_id: 'batch-9', run_id: 'run-9' });
  await rig.run();
  await rig.add([aRow(1), aRow(2, { amount: '999' })], { batch_id: 'batch-10', run_id: 'run-9' });
  await rig.run();
  const { reasons } = await perform(reviewRelease, { batch_id: 'batch-10' });
  assert.deepEqual(
    reasons.map(({ code, earlier_batch }) => [code, earlier_batch]),
    [
      ['FAILED_BEFORE', 'batch-9'],
      ['REFERENCE_REUSED', 'batch-9'],
    ],
  );
});
