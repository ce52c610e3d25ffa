import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addToCounts, countRows } from '../../../src/ledger/batches/row-counts.ts';
import { memoryLedger } from '../../support/ledger.ts';

test('the counts of a batch are in the order of their states, whichever changed last', async (t) => {
  const db = await memoryLedger();
  t.after(() => db.close());
  await db.transact(async (tx) => {
    for (const status of ['ready', 'held', 'completed', 'ready', 'completed'])
      await addToCounts(tx, [{ batch_id: 'batch-1', status, count: 1 }]);
  });
  assert.deepEqual(
    [...(await countRows(db, 'batch-1'))],
    [
      ['completed', 2],
      ['held', 1],
      ['ready', 2],
    ],
  );
});
