import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  costsOfBatch,
  refundsOfOtherBatches,
  retriedInOtherBatches,
  saveCost,
} from '../../../src/ledger/rows/costs.ts';
import { memoryLedger, sqliteLedger } from '../../support/ledger.ts';
import { planned } from '../../support/planned.ts';

test('refunds of a period are found by time, however many rows the ledger has', async () => {
  const db = await sqliteLedger();
  const { view, plans } = planned(db);
  await refundsOfOtherBatches(view, { account: 'main', batchId: 'batch-1', fromMs: 1, toMs: 2 });
  const [rows = '', batches = ''] = plans;
  assert.match(rows, /^SEARCH rows USING INDEX rows_refunded \(refunded_at>\? AND refunded_at<\?\)$/);
  assert.match(batches, /^SEARCH batches USING INDEX \S+ \(batch_id=\?\)$/);
  await db.close();
});

test('batches with retried rows are found by the index of such rows, not by reading every batch', async () => {
  const db = await sqliteLedger();
  const { view, plans } = planned(db);
  await retriedInOtherBatches(view, { account: 'main', batchId: 'batch-1', fromMs: 1, toMs: 2 });
  const ofRows = plans.filter((plan) => / rows\b/.test(plan));
  assert.deepEqual(ofRows, ['SCAN rows USING INDEX rows_tried_again'], plans.join('\n'));
  await db.close();
});

test('what a batch was charged is in the order of its currencies, whichever was charged last', async (t) => {
  const db = await memoryLedger();
  t.after(() => db.close());
  await db.transact(async (tx) => {
    for (const currency of ['NGN', 'USD', 'KES', 'NGN', 'KES'])
      await saveCost(tx, { batch_id: 'batch-1', currency, cost: '1' });
  });
  assert.deepEqual([...(await costsOfBatch(db, 'batch-1')).keys()], ['KES', 'NGN', 'USD']);
});
