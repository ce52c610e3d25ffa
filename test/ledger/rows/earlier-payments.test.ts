import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anySentSince, earlierPaymentsTo } from '../../../src/ledger/rows/earlier-payments.ts';
import { aBatch, addBatch, aRow, sqliteLedger } from '../../support/ledger.ts';
import { planned } from '../../support/planned.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

const query = { account: 'main', since: 1, runId: 'run-1', withLost: false };
const number = (index: number) => `+2547000${String(index).padStart(5, '0')}`;

for (const count of [1, 2, 50, 128]) {
  test(`payments to ${count} number(s) are looked up by number, however many rows and batches the ledger has`, async () => {
    const db = await sqliteLedger();
    const { view, plans } = planned(db);
    await earlierPaymentsTo(
      view,
      query,
      Array.from({ length: count }, (_, index) => number(index)),
    );
    // The time of the run's first batch is not a table.
    const reads = plans.filter((plan) => /^(?:SEARCH|SCAN) (?!times|CONSTANT)/.test(plan));
    const expected = [
      'SEARCH rows USING INDEX rows_sent (phone_number=? AND first_sent_at>?)',
      'SEARCH batches USING INDEX batches_by_run (account=? AND run_id=?)',
      'SEARCH batches USING INDEX sqlite_autoindex_batches_1 (batch_id=?)',
    ];
    const statements = Array(Math.ceil(count / 50)).fill(expected);
    assert.deepEqual(reads, statements.flat(), plans.join('\n'));
    await db.close();
  });
}

test('what counts is what the account sent since then, and rows that keep a service answer about an earlier payment', async () => {
  const db = await sqliteLedger();
  const cases: [status: string, serviceStatus: string | null, firstSentAt: number | null, counts: boolean][] = [
    ['sending', null, 100, true],
    ['accepted', 'pending', 100, true],
    ['in_doubt', null, 100, true],
    ['completed', 'completed', 100, true],
    ['failed', 'failed', 100, true],
    ['completed', 'completed', 99, false],
    ['held', 'completed', 100, true],
    ['skipped', 'completed', 100, true],
    ['ready', 'completed', 100, true],
    // Its request was proved never to have left.
    ['ready', null, 100, false],
    ['held', null, 100, false],
    ['ready', null, null, false],
    ['cancelled', 'completed', 100, false],
    ['completed', 'completed', 101, true],
  ];
  const batches = [{ batch_id: 'batch-2' }, { batch_id: 'batch-3', account: 'other' }];
  for (const batch of batches) {
    const rows = cases.map((_, index) => aRow(index + 1, { batch_id: batch.batch_id, phone_number: number(1) }));
    await addBatch(db, makeVirtualClock(), aBatch({ ...batch, run_id: batch.batch_id }), rows);
    for (const [index, [status, serviceStatus, firstSentAt]] of cases.entries()) {
      await db.execute(
        'UPDATE rows SET status = ?, service_status = ?, first_sent_at = ? WHERE batch_id = ? AND row_no = ?',
        [status, serviceStatus, firstSentAt, batch.batch_id, index + 1],
      );
    }
  }
  const earlier = cases.flatMap(([, , at, counts], index) => (counts && at === 100 ? [`batch-2/${index + 1}`] : []));
  const expected = [`batch-2/${cases.length}`, ...earlier];
  const others = Array.from({ length: 50 }, (_, index) => number(index + 2));
  for (const numbers of [
    [number(1)],
    [number(1), number(2)],
    [...others, number(1)],
    [...others, number(1), number(60)],
  ]) {
    const found = await earlierPaymentsTo(db, { ...query, since: 100 }, numbers);
    assert.deepEqual([...found.keys()], [number(1)]);
    assert.deepEqual(
      found.get(number(1))?.map((one) => ('row_no' in one ? `${one.batch_id}/${one.row_no}` : one)),
      expected,
    );
  }
  await db.close();
});

test('payments count since the first batch of the run, if that is earlier', async () => {
  const db = await sqliteLedger();
  const clock = makeVirtualClock();
  const own = [
    ['batch-1', 'run-1', 50],
    ['batch-2', 'run-1', 90],
    ['batch-3', 'run-2', 10],
  ] as const;
  for (const [index, [batch_id, run_id, created_at]] of own.entries()) {
    const row = aRow(1, { batch_id, phone_number: number(1) });
    await addBatch(db, clock, aBatch({ batch_id, run_id, created_at }), [row]);
    await db.execute("UPDATE rows SET status = 'completed', first_sent_at = ? WHERE batch_id = ?", [
      60 - index,
      batch_id,
    ]);
  }
  const countedFor = async (runId: string | null) => {
    const found = await earlierPaymentsTo(db, { ...query, since: 100, runId }, [number(1)]);
    return (found.get(number(1)) ?? []).map((one) => ('batch_id' in one ? one.batch_id : null));
  };
  assert.deepEqual(await countedFor('run-1'), ['batch-1', 'batch-2', 'batch-3']);
  assert.deepEqual(await countedFor('run-3'), []);
  assert.deepEqual(await countedFor(null), []);
  await db.execute("UPDATE batches SET created_at = 59 WHERE batch_id = 'batch-1'");
  assert.deepEqual(await countedFor('run-1'), ['batch-1', 'batch-2']);
  await db.close();
});

test('payments that may have been sent since then are of other batches of the account that were still running', async () => {
  for (const [fields, mayHave] of [
    [{ started_at: 50 }, true],
    [{ started_at: 50, completed_at: 100 }, true],
    [{ started_at: 50, completed_at: 99 }, false],
    [{ started_at: null }, false],
    [{ started_at: 50, account: 'other' }, false],
    [{ started_at: 50, batch_id: 'batch-1' }, false],
  ] as const) {
    const db = await sqliteLedger();
    await addBatch(db, makeVirtualClock(), aBatch({ batch_id: 'batch-2', ...fields }), []);
    assert.equal(
      await anySentSince(db, { account: 'main', batch_id: 'batch-1' }, 100),
      mayHave,
      JSON.stringify(fields),
    );
    await db.close();
  }
});
