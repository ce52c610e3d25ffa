import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendingRows } from '../../../src/ledger/rows/in-flight-rows.ts';
import { aBatch, addBatch, aRow, memoryLedger } from '../../support/ledger.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

test('rows that were left in sending come in file order, whichever was written last', async (t) => {
  const db = await memoryLedger();
  t.after(() => db.close());
  await addBatch(db, makeVirtualClock(), aBatch(), [aRow(1), aRow(2), aRow(3)]);
  await db.execute("UPDATE rows SET status = 'sending'");
  await db.execute('UPDATE rows SET next_action_at = 5 WHERE row_no = 1');
  const pages = [await sendingRows(db, 'batch-1', 2), await sendingRows(db, 'batch-1', 10)];
  assert.deepEqual(
    pages.map((page) => page.map(({ row_no }) => row_no)),
    [
      [1, 2],
      [1, 2, 3],
    ],
  );
});
