import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { paidSince, sharedRows } from '../../../src/ledger/reporting/shared-rows.ts';
import { aBatch, addBatch, aRow, sqliteLedger } from '../../support/ledger.ts';
import { planned } from '../../support/planned.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

const mine = { ...aBatch({ batch_id: 'mine', created_at: 5 }), audit_seq: 1, audit_head: '' };

/** Two batches of one run with the same four rows: `states` are those of this batch and of the other one. */
async function ofOneRun(states: readonly [string, string][]): Promise<Database> {
  const db = await sqliteLedger();
  for (const [index, batch] of [mine, aBatch({ batch_id: 'other', created_at: 6 })].entries()) {
    const { batch_id } = batch;
    const rows = states.map((_, at) => aRow(at + 1, { batch_id }));
    await addBatch(db, makeVirtualClock(), batch, rows);
    for (const [at, pair] of states.entries())
      await db.execute('UPDATE rows SET status = ? WHERE batch_id = ? AND row_no = ?', [
        pair[index] ?? '',
        batch_id,
        at + 1,
      ]);
  }
  await db.execute(`UPDATE batches SET status = 'running'`);
  return db;
}

describe('rows that two batches of a run have', () => {
  test('are counted if they are ready here, and the other batch has paid them or may pay them', async () => {
    const db = await ofOneRun([
      ['ready', 'completed'],
      ['ready', 'accepted'],
      ['ready', 'failed'],
      ['held', 'ready'],
    ]);
    const found = await sharedRows(db, mine);
    assert.deepEqual(
      found.map(({ batch_id, rows, paid }) => [batch_id, rows, paid]),
      [['other', 2, 1]],
    );
  });

  test('are counted if they failed or were invalid here, and the later batch has paid them', async () => {
    const db = await ofOneRun([
      ['failed', 'completed'],
      ['invalid', 'completed'],
      ['failed', 'failed'],
      ['completed', 'completed'],
    ]);
    assert.deepEqual(await paidSince(db, mine), [{ batch_id: 'other', rows: 2 }]);
  });

  test('count as paid if the other batch did not pay them by its own state, and the service says that they arrived', async () => {
    const states = ['failed', 'skipped', 'cancelled'] as const;
    const ready = await ofOneRun(states.map((state) => ['ready', state]));
    assert.deepEqual(await sharedRows(ready, mine), []);
    const failed = await ofOneRun(states.map((state) => ['failed', state]));
    assert.deepEqual(await paidSince(failed, mine), []);
    for (const db of [ready, failed])
      await db.execute("UPDATE rows SET contradicted = 'completed' WHERE batch_id = 'other'");
    assert.deepEqual(
      (await sharedRows(ready, mine)).map(({ rows, paid }) => [rows, paid]),
      [[3, 3]],
    );
    assert.deepEqual(await paidSince(failed, mine), [{ batch_id: 'other', rows: 3 }]);
  });

  for (const [name, query] of [
    ['sharedRows', sharedRows],
    ['paidSince', paidSince],
  ] as const)
    test(`are found in one pass over each batch, not in one pass for each row (${name})`, async () => {
      const { view, plans } = planned(await sqliteLedger());
      await query(view, mine);
      const passes = plans.filter((plan) => /rows|other|mine/.test(plan));
      assert.equal(passes.length, 2, plans.join('\n'));
      const list = plans.findIndex((plan) => plan.startsWith('LIST SUBQUERY'));
      assert.match(plans[list + 1] ?? '', /^SEARCH rows .*\(batch_id=\?\)$/, plans.join('\n'));
    });
});
