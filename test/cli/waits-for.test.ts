import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendsUntilSent } from '../../src/cli/waits-for.ts';
import type { Priority } from '../../src/ledger/batches.ts';
import { makeRig, someRows } from '../support/engine.ts';

test('until the last row of a batch is sent, those of its account go that come before it or take turns with it', async () => {
  const rig = await makeRig();
  const batches: [string, Priority, number, string][] = [
    ['urgent', 'urgent', 20, 'running'],
    ['normal', 'normal', 30, 'running'],
    ['other', 'normal', 300, 'running'],
    ['paused', 'normal', 50, 'paused'],
    ['bulk', 'bulk', 70, 'running'],
  ];
  for (const [batch_id, priority, count, status] of batches) {
    await rig.add(someRows(count), { batch_id, run_id: batch_id, priority });
    await rig.db.execute('UPDATE batches SET status = ? WHERE batch_id = ?', [status, batch_id]);
  }
  const expected = { urgent: 20, normal: 30 + 20 + 30, other: 300 + 20 + 30, bulk: 70 + 20 + 30 + 300 };
  for (const [batchId, sends] of Object.entries(expected)) {
    const ready = batches.find(([name]) => name === batchId)?.[2] ?? 0;
    assert.equal(await sendsUntilSent(rig.db, await rig.batch(batchId), ready), sends, batchId);
  }
});
