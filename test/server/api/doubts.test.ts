import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { aBatch, addBatch, aRow } from '../../support/ledger.ts';
import { api } from './api-fixture.ts';

/** A batch with one row in doubt in each of the two accounts. */
async function withDoubts(t: TestContext) {
  const server = await api(t);
  for (const account of ['default', 'other']) {
    const batch_id = `D-${account}`;
    const batch = aBatch({ batch_id, account, run_id: `doubt-${account}`, status: 'running' });
    await addBatch(server.db, server.clock, batch, [aRow(1, { batch_id, status: 'in_doubt' })]);
  }
  return server;
}

describe('doubts over HTTP', () => {
  test('are listed for the accounts that a key may see', async (t) => {
    const { send, makeKey } = await withDoubts(t);
    const all = await send('GET', '/api/v1/doubts');
    assert.deepEqual([all.status, all.body.count], [200, 2]);
    const key = await makeKey('team', ['audit'], { accounts: ['default'] });
    const { status, body } = await send('GET', '/api/v1/doubts?limit=10', { key });
    assert.deepEqual([status, body.count, body.doubts[0].batch_id], [200, 1, 'D-default']);
  });

  test('get an owner, in the name of the key', async (t) => {
    const { send, changed } = await withDoubts(t);
    const body = { rows: [1], owner: 'all' };
    assert.deepEqual((await send('POST', '/api/v1/batches/D-default/assign', { body })).body, {
      ...{ batch_id: 'D-default', owner: 'all', assigned: 1 },
    });
    assert.equal((await send('GET', '/api/v1/doubts?owner=all')).body.count, 1);
    assert.equal((await send('GET', '/api/v1/doubts?owner=')).body.count, 1, 'the other has no owner');
    assert.deepEqual(changed, ['default']);
  });

  test('are looked up at the service, which does not answer here', async (t) => {
    const { send } = await withDoubts(t);
    const { body } = await send('POST', '/api/v1/batches/D-default/look-up', { body: {} });
    assert.equal(body.code, 'SERVICE_UNREACHABLE');
    const none = await send('POST', '/api/v1/batches/B-default/look-up', { body: {}, once: 'once-2' });
    assert.deepEqual([none.status, none.body], [200, { batch_id: 'B-default', rows: [], next: null }]);
  });
});
