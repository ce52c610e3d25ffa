import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { insertDraft } from '../../../src/ledger/drafts/drafts.ts';
import { aDraft } from '../../support/drafts.ts';
import { aBatch, addBatch, aRow } from '../../support/ledger.ts';
import { api } from './api-fixture.ts';

/** A batch with a held row, and a draft of the same account. */
async function withNumbers(t: TestContext) {
  const server = await api(t);
  const { db, clock, send } = server;
  const batch = aBatch({ batch_id: 'H', account: 'default', run_id: 'held', status: 'validated' });
  await addBatch(db, clock, batch, [aRow(1, { batch_id: 'H', status: 'held', phone_number: '+254712405118' })]);
  await db.transact((tx) => insertDraft(tx, [aDraft({ draft_id: 'D', account: 'default' })]));
  const seen = async () => {
    const { body } = await send('GET', '/api/v1/access-events?numbers=true');
    return body.events.map(({ actor, kind, body: text }: { actor: string; kind: string; body: string }) => {
      const { through, ...what } = JSON.parse(text);
      return [kind, actor, through, what];
    });
  };
  return { ...server, seen };
}

describe('complete phone numbers over HTTP', () => {
  test('are noted with the person, the batch and what was seen: once a view', async (t) => {
    const { clock, send, seen } = await withNumbers(t);
    const look = () => send('GET', '/api/v1/batches/H/held-rows');
    assert.match(JSON.stringify((await look()).body), /254712405118/);
    const event = ['numbers.read', 'all', 'api', { batch_id: 'H', what: 'held rows' }];
    assert.deepEqual(await seen(), [event]);
    await look();
    clock.setWall(clock.now() + 14 * 60_000);
    await look();
    assert.deepEqual(await seen(), [event], 'the same view');
    clock.setWall(clock.now() + 2 * 60_000);
    await look();
    assert.deepEqual(await seen(), [event, event], 'another view');
  });

  test('of a draft are noted as one, whatever of it is read', async (t) => {
    const { send, seen } = await withNumbers(t);
    for (const path of ['rows', 'changes', 'rows?text=07']) {
      const { status } = await send('GET', `/api/v1/drafts/D/${path}`);
      assert.equal(status, 200);
    }
    assert.deepEqual(await seen(), [['numbers.read', 'all', 'api', { draft_id: 'D', what: 'draft' }]]);
  });

  test('are not noted where they are masked, or where nothing was shown', async (t) => {
    const { send, makeKey, seen } = await withNumbers(t);
    const auditor = await makeKey('auditor', ['audit']);
    assert.equal((await send('GET', '/api/v1/drafts/D/rows', { key: auditor })).status, 200);
    assert.equal((await send('GET', '/api/v1/batches/H/held-rows', { key: auditor })).status, 403);
    assert.equal((await send('GET', '/api/v1/batches/H/rows')).status, 200);
    assert.equal((await send('GET', '/api/v1/batches/none/held-rows')).status, 404);
    assert.deepEqual(await seen(), []);
  });
});
