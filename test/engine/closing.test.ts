import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveBalance } from '../../src/reports/summary/balance-proof.ts';
import { makeRig, someRows } from '../support/engine.ts';
import { aRow } from '../support/ledger.ts';

test('a batch ends with a balance that only its rows explain: requests of others in flight are answered before it is read', async () => {
  const rig = await makeRig();
  const { create } = rig.service;
  const answered: number[] = [];
  rig.service.create = async (request) => {
    const outcome = await create(request);
    if (!request.body.includes('slow/')) return outcome;
    await rig.clock.sleep(20_000);
    answered.push(rig.clock.now());
    return outcome;
  };
  const opening = await rig.service.balance();
  assert.equal(opening.kind, 'balance');
  const balance_before = JSON.stringify(opening.kind === 'balance' ? opening.balance : null);
  await rig.add(someRows(2), { batch_id: 'quick', run_id: 'quick' });
  await rig.db.execute('UPDATE batches SET balance_before = ?', [balance_before]);
  await rig.add([aRow(1, { phone_number: '+254712999001' })], { batch_id: 'slow', run_id: 'slow' });
  await rig.run();
  const batch = await rig.batch('quick');
  assert.equal(batch.status, 'completed');
  assert.ok((batch.completed_at ?? 0) >= (answered[0] ?? Number.NaN));
  const { explanation, explained } = await proveBalance(rig.db, batch, { charged: { USD: '2' }, refunds: {} });
  assert.deepEqual([explained, explanation.map((one) => one.charged_by_other_batches)], [true, ['1']]);
});
