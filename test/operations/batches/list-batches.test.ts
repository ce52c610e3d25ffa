import assert from 'node:assert/strict';
import { test } from 'node:test';
import { performIn } from '../../../src/operations/base/operation.ts';
import { listBatches } from '../../../src/operations/batches/list-batches.ts';
import type { Session } from '../../../src/runtime/session/session.ts';
import { aBatch, addBatch, memoryLedger } from '../../support/ledger.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

test('list-batches pages from the newest on, keeps open ones on the first page, and filters by state', async (t) => {
  const clock = makeVirtualClock();
  const db = await memoryLedger();
  t.after(() => db.close());
  const states = ['paused', 'completed', 'completed', 'cancelled', 'completed'] as const;
  for (const [index, status] of states.entries()) {
    const number = index + 1;
    // Two that were made in the same moment are told apart by their ids.
    const created_at = Math.min(number, 4);
    await addBatch(db, clock, aBatch({ batch_id: `b-${number}`, run_id: `run-${number}`, created_at }), []);
    await db.execute('UPDATE batches SET status = ?, created_at = ? WHERE batch_id = ?', [
      status,
      created_at,
      `b-${number}`,
    ]);
  }
  const session = {
    db,
    clock,
    config: { accounts: new Map(), people: {} },
    person: 'ann',
    through: 'cli',
  } as unknown as Session;
  const door = { nameOf: (field: string) => field };
  const list = async (input: Parameters<typeof listBatches.input.parse>[0] & object) => {
    const { batches, next } = await performIn(session, listBatches, door, input);
    return [batches.map(({ batch_id }) => batch_id), next];
  };
  assert.deepEqual(await list({}), [['b-5', 'b-4', 'b-3', 'b-2', 'b-1'], null]);
  assert.deepEqual(await list({ limit: 2 }), [['b-5', 'b-4', 'b-1'], 'b-4']);
  assert.deepEqual(await list({ limit: 2, before: 'b-4' }), [['b-3', 'b-2'], 'b-2']);
  assert.deepEqual(await list({ limit: 2, before: 'b-2' }), [['b-1'], null]);
  assert.deepEqual(await list({ limit: 2, status: ['completed'] }), [['b-5', 'b-3'], 'b-3']);
  assert.deepEqual(await list({ limit: 2, status: ['completed'], before: 'b-3' }), [['b-2'], null]);
  await assert.rejects(performIn(session, listBatches, door, { limit: 0 }), { code: 'USAGE' });
  const grant = { roles: ['audit' as const], accounts: ['another'] };
  for (const before of ['b-4', 'none'])
    await assert.rejects(
      performIn({ ...session, grant }, listBatches, door, { before }),
      { code: 'BATCH_UNKNOWN' },
      `${before}: a team does not learn which batches others have`,
    );
});
