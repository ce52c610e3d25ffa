import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canProgress } from '../../../src/engine/forecast/can-progress.ts';
import type { Database, SqlValue } from '../../../src/ledger/drivers/database.ts';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';

/** One row in doubt, whose next lookup is due in some minutes. */
async function inDoubt(): Promise<Rig> {
  const rig = await makeRig();
  rig.service.script('run-1/ref-1', 'lose_answer');
  await rig.add(someRows(1));
  await rig.run(1_000);
  assert.deepEqual(await rig.states(), ['in_doubt']);
  return rig;
}

/** The ledger, in which the row is adopted and completed right after the first read outside a snapshot. */
function adoptedMeanwhile({ db }: Rig): Database {
  let reads = 0;
  return {
    ...db,
    async query<Result extends object>(sql: string, params?: readonly SqlValue[]) {
      const found = await db.query<Result>(sql, params);
      reads += 1;
      if (reads !== 1) return found;
      await db.execute("UPDATE rows SET status = 'completed', next_action_at = NULL");
      await db.execute("UPDATE batch_counts SET status = 'completed' WHERE status = 'in_doubt' AND count > 0");
      return found;
    },
  };
}

test('a batch whose last row in doubt ends while it is looked at still makes progress: it can be completed', async () => {
  const rig = await inDoubt();
  const batch = await rig.batch();
  const patienceMs = 20 * 60_000;
  assert.equal(await canProgress(rig.db, batch, rig.clock.now(), patienceMs), true);
  assert.equal(await canProgress(adoptedMeanwhile(rig), batch, rig.clock.now(), patienceMs), true);
});

test('a batch whose row in doubt is left to a person makes no progress', async () => {
  const rig = await inDoubt();
  await rig.db.execute('UPDATE rows SET next_action_at = NULL');
  assert.equal(await canProgress(rig.db, await rig.batch(), rig.clock.now(), 20 * 60_000), false);
});
