import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draftsApi } from './drafts-fixture.ts';

const file = 'phone_number,network_id,amount,currency\n+254712345601,Safaricom,100,KES\n';

test('batches that were planned of a draft are listed once one of them is submitted', async (t) => {
  const { send, upload, makeKey } = await draftsApi(t);
  const auditor = await makeKey('auditor', ['audit']);
  const { id } = await upload(file);
  const plan = async () => (await send('POST', `/api/v1/drafts/${id}/plan`, { body: {} })).body.batch_id as string;
  const listed = async () => {
    const { body } = await send('GET', '/api/v1/batches', { key: auditor });
    return body.batches.map(({ batch_id }: { batch_id: string }) => batch_id);
  };
  const first = await plan();
  assert.deepEqual(await listed(), []);
  const cells = [{ row: 1, column: 2, value: '150' }];
  assert.equal((await send('POST', `/api/v1/drafts/${id}/change`, { body: { cells } })).status, 200);
  const { body: dropped } = await send('GET', `/api/v1/batches/${first}`, { key: auditor });
  assert.equal(dropped.status, 'cancelled');
  assert.deepEqual(await listed(), []);
  const second = await plan();
  const submitted = await send('POST', `/api/v1/drafts/${id}/submit`, { body: { batch_id: second } });
  assert.equal(submitted.status, 200, submitted.text);
  assert.deepEqual(await listed(), [second]);
});
