import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../src/core/time/clock.ts';
import { runSoFar } from '../../../src/ledger/batches/batches.ts';
import { inUnit } from '../../../src/ledger/unit-of-work.ts';
import { aBatch, memoryLedger } from '../../support/ledger.ts';

test('the state of a run is read without its batches, and without other runs and accounts', async () => {
  const db = await memoryLedger();
  const add = (fields: Parameters<typeof aBatch>[0]) =>
    inUnit(db, { clock: systemClock, actor: 'test' }, (unit) => unit.addBatch(aBatch(fields), {}));
  const of = () => runSoFar(db, 'main', 'november');
  assert.deepEqual(await of(), { batches: 0, firstAt: null, hasBegun: false });
  await add({ batch_id: 'other-run', run_id: 'october', created_at: 1, started_at: 2 });
  await add({ batch_id: 'other-account', account: 'other', run_id: 'november', created_at: 1, started_at: 2 });
  await add({ batch_id: 'late', run_id: 'november', created_at: 9 });
  await add({ batch_id: 'early', run_id: 'november', created_at: 5 });
  assert.deepEqual(await of(), { batches: 2, firstAt: 5, hasBegun: false });
  await add({ batch_id: 'begun', run_id: 'november', created_at: 7, started_at: 8 });
  assert.deepEqual(await of(), { batches: 3, firstAt: 5, hasBegun: true });
});
