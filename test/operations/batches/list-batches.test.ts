import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BatchRecord } from '../../../src/ledger/batches/batches.ts';
import type { NewRow } from '../../../src/ledger/rows/rows.ts';
import { performIn } from '../../../src/operations/base/operation.ts';
import { listBatches } from '../../../src/operations/batches/list-batches.ts';
import type { Session } from '../../../src/runtime/session/session.ts';
import { aBatch, addBatch, aRow, memoryLedger } from '../../support/ledger.ts';
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

test('list-batches says which batches need a person, and what those would pay that nobody has decided about', async (t) => {
  const clock = makeVirtualClock();
  const db = await memoryLedger();
  t.after(() => db.close());
  const add = (batch_id: string, fields: Partial<BatchRecord>, rows: Partial<NewRow>[]) =>
    addBatch(
      db,
      clock,
      aBatch({ batch_id, run_id: batch_id, ...fields }),
      rows.map((row, index) => aRow(index + 1, { batch_id, ...row })),
    );
  const money = [{ amount: '100.5' }, { amount: '0.25' }, { amount: null, currency: null, product_id: '7' }];
  await add('waits', { status: 'awaiting_approval' }, [...money, { status: 'held', amount: '9' }]);
  await add('sends', { status: 'running' }, [{ status: 'ready' }]);
  await add('overdue', { status: 'running' }, [{ status: 'ready' }]);
  await db.execute("UPDATE rows SET status = 'accepted', failure_code = 'overdue' WHERE batch_id = 'overdue'");
  await db.execute("UPDATE batch_counts SET status = 'accepted' WHERE batch_id = 'overdue'");
  await add('failed', { status: 'completed' }, [{ status: 'invalid' }]);
  const session = {
    ...{ db, clock, person: 'ann', through: 'cli' },
    config: { accounts: new Map(), people: {} },
  } as unknown as Session;
  const door = { nameOf: (field: string) => field };
  const list = async (with_sums: boolean) => {
    const { batches } = await performIn(session, listBatches, door, { with_sums });
    return Object.fromEntries(batches.map(({ batch_id, needs_person, to_pay }) => [batch_id, [needs_person, to_pay]]));
  };
  const expected = { sends: [false, null], overdue: [true, null], failed: [false, null] };
  assert.deepEqual(await list(true), { ...expected, waits: [true, { sums: { KES: '100.75' }, products: 1 }] });
  assert.deepEqual(await list(false), { ...expected, waits: [true, null] });
});
