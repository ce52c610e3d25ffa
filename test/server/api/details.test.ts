import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aBatch, addBatch, aRow } from '../../support/ledger.ts';
import { api } from './api-fixture.ts';

test('the details of a payment are shown over HTTP, and read at the service if nobody has read them', async (t) => {
  const { db, clock, send } = await api(t);
  const batch = { batch_id: 'D', account: 'default', run_id: 'details', status: 'completed' } as const;
  const paid = { batch_id: 'D', status: 'completed' } as const;
  await addBatch(db, clock, aBatch(batch), [
    aRow(1, paid),
    aRow(2, paid),
    aRow(3, { batch_id: 'D', status: 'failed' }),
  ]);
  await db.execute("UPDATE rows SET topup_id = 't', provider_reference = 'p-1' WHERE batch_id = 'D' AND row_no = 1");
  await db.execute("UPDATE rows SET topup_id = 't' WHERE batch_id = 'D' AND row_no > 1");
  const details = (row: number) => send('GET', `/api/v1/batches/D/rows/${row}/details`);
  const known = { batch_id: 'D', row_no: 1, provider_reference: 'p-1', is_unread: false };
  assert.deepEqual([(await details(1)).status, (await details(1)).body], [200, known]);
  assert.equal((await details(2)).body.code, 'SERVICE_UNREACHABLE', 'the service is asked, which does not answer here');
  assert.deepEqual((await details(3)).body, { ...known, row_no: 3, provider_reference: null });
  assert.equal((await details(4)).body.code, 'ROW_UNKNOWN');
});
