import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { embeddedSandboxService } from '../../../src/ledger/batches/batches.ts';
import { saveCost } from '../../../src/ledger/rows/costs.ts';
import { aBatch, addBatch, aRow } from '../../support/ledger.ts';
import { draftsApi } from './drafts-fixture.ts';

async function forecasting(t: Parameters<typeof draftsApi>[0]) {
  const { db, session, send, makeKey } = await draftsApi(t);
  const key = await makeKey('auditor', ['audit']);
  /** Adds a batch with one row to send. */
  const add = (batch_id: string, status: 'approved' | 'awaiting_approval', amount: string, currency = 'KES') =>
    addBatch(
      db,
      session.clock,
      aBatch({ batch_id, run_id: batch_id, account: 'sandbox', service: embeddedSandboxService, status }),
      [aRow(1, { batch_id, amount, currency })],
    );
  const shillings = async () => {
    const { status, body, text } = await send('GET', '/api/v1/accounts/sandbox/money-forecast', { key });
    assert.equal(status, 200, text);
    const found = body.currencies.find(({ currency }: { currency: string }) => currency === 'KES');
    return { body, ...found };
  };
  return { db, session, add, shillings };
}

describe('forecast-money', () => {
  test('adds up what is sent and what waits, and says what is missing and when the money runs out', async (t) => {
    const { add, shillings } = await forecasting(t);
    const { balance } = await shillings();
    assert.deepEqual([(await shillings()).queued, (await shillings()).runs_out_by], ['0', null]);
    await add('B-1', 'approved', balance);
    await add('B-2', 'awaiting_approval', '70');
    const waits = await shillings();
    assert.deepEqual([waits.queued, waits.waiting, waits.missing], [balance, '70', '70']);
    assert.equal(waits.runs_out_by, null, 'a batch that nobody has approved uses up nothing');
    await add('B-3', 'approved', '30');
    const ends = await shillings();
    assert.deepEqual([ends.missing, ends.runs_out_by], ['100', 'queue']);
    assert.ok(Date.parse(ends.runs_out_at) > 0, ends.runs_out_at);
  });

  test('names the sums whose cost is unknown', async (t) => {
    const { add, shillings } = await forecasting(t);
    await add('B-1', 'approved', '9', 'XOF');
    const { body, queued } = await shillings();
    assert.deepEqual([body.unknown, queued], [{ XOF: '9' }, '0']);
  });

  test('expects payouts like those of the last 30 days', async (t) => {
    const { db, session, shillings } = await forecasting(t);
    const { balance } = await shillings();
    const started_at = session.clock.now() - 86_400_000;
    const done = { run_id: 'B-1', account: 'sandbox', service: embeddedSandboxService, status: 'completed' } as const;
    await addBatch(db, session.clock, aBatch({ ...done, batch_id: 'B-1', started_at }), []);
    await db.transact((tx) => saveCost(tx, { batch_id: 'B-1', currency: 'KES', cost: balance }));
    const { spent, runs_out_at, runs_out_by } = await shillings();
    assert.deepEqual([spent, runs_out_by], [balance, 'usual_spending']);
    assert.equal(Date.parse(runs_out_at), started_at + 60 * 86_400_000, 'the first time it is just enough');
  });
});
