import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { insertDraft } from '../../../src/ledger/drafts/drafts.ts';
import { performIn } from '../../../src/operations/base/operation.ts';
import { showRow } from '../../../src/operations/rows/show-row.ts';
import { aDraft } from '../../support/drafts.ts';
import { aBatch, addBatch, aRow } from '../../support/ledger.ts';
import { api } from './api-fixture.ts';

/** A batch with a held row, and a draft of the same account. */
async function withNumbers(t: TestContext) {
  const server = await api(t);
  const { db, clock, send } = server;
  const batch = aBatch({ batch_id: 'H', account: 'default', run_id: 'held', status: 'validated' });
  await addBatch(db, clock, batch, [aRow(1, { batch_id: 'H', status: 'held', phone_number: '+254712405118' })]);
  await db.transact((tx) => insertDraft(tx, aDraft({ draft_id: 'D', account: 'default' })));
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
    for (const path of ['rows', 'changes']) assert.equal((await send('GET', `/api/v1/drafts/D/${path}`)).status, 200);
    assert.equal((await send('POST', '/api/v1/drafts/D/rows/search', { body: { text: '07' } })).status, 200);
    assert.deepEqual(await seen(), [['numbers.read', 'all', 'api', { draft_id: 'D', what: 'draft' }]]);
  });

  test('that somebody looks for are noted as a search, by whoever it was, without the number', async (t) => {
    const { send, makeKey, seen } = await withNumbers(t);
    const key = await makeKey('auditor', ['audit']);
    for (const find of ['Otieno', '5118', '+254 712 405118'])
      await send('POST', '/api/v1/batches/H/rows/search', { key, body: { find } });
    await send('POST', '/api/v1/payment-searches', { key, body: { number: '+254712405118' } });
    assert.deepEqual(await seen(), [
      ['numbers.read', 'auditor', 'api', { what: 'search by number' }],
      ['numbers.read', 'auditor', 'api', { batch_id: 'H', what: 'search by number' }],
    ]);
  });

  test('are in nothing that readers see of a row and its problems', async (t) => {
    const { db, clock, send, makeKey, seen, session } = await withNumbers(t);
    const ambiguous = {
      ...{ code: 'PHONE_AMBIGUOUS', column: 'phone', value: '712405118' },
      message: 'The number can be read as +254712405118 or as +71 240 5118 00.',
      suggestion: 'Write it with "+": +254712405118.',
      values: { one: '+254712405118', other: '+71240511800' },
    };
    const dear = {
      code: 'AMOUNT_TOO_LARGE',
      column: null,
      message: 'x',
      suggestion: '',
      values: { amount: '25000000' },
    };
    const problems = JSON.stringify([ambiguous, dear]);
    const batch = aBatch({ batch_id: 'P', account: 'default', run_id: 'p', status: 'validated', columns: '["name"]' });
    await addBatch(db, clock, batch, [
      aRow(1, { batch_id: 'P', status: 'held', problems, phone_number: null, input: '["Amina 0712 405 118"]' }),
      aRow(2, { batch_id: 'P' }),
    ]);
    const doubt = "status = 'in_doubt', failure_reason = '0712405118 is not known'";
    await db.execute(`UPDATE rows SET ${doubt} WHERE batch_id = 'P' AND row_no = 2`);
    const reader = await makeKey('auditor', ['audit']);
    for (const key of [reader, await makeKey('operator', ['operate'])])
      for (const path of ['rows/1', '', 'rows', 'progress']) {
        const { status, body } = await send('GET', `/api/v1/batches/P/${path}`.replace(/\/$/, ''), { key });
        assert.equal(status, 200, path);
        assert.doesNotMatch(JSON.stringify(body), /712.?405.?118|240.?511/, path);
      }
    const { body } = await send('GET', '/api/v1/batches/P/rows/1', { key: reader });
    assert.deepEqual(body.problems[0].values, { one: '[number]', other: '[number]' });
    assert.deepEqual(body.problems[1].values, { amount: '25000000' });
    assert.deepEqual(await seen(), []);
    const atTheMachine = await performIn(session, showRow, { nameOf: (field) => field }, { batch_id: 'P', row: 1 });
    assert.equal(atTheMachine.problems[0]?.values?.one, '+254712405118');
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
