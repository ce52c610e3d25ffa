import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findDuplicateJudge, type JudgedRow } from '../../../src/intake/history/duplicates.ts';
import { makeRig, someRows } from '../../support/engine.ts';
import { aBatch } from '../../support/ledger.ts';

for (const [run_id, expected] of [
  ['run-1', ['held', 'ready']],
  ['run-2', ['ready', 'ready']],
] as const)
  test(`a failed payment that arrived later holds the same payment of its run, even if no days are compared (${run_id})`, async () => {
    const rig = await makeRig();
    rig.service.ends('run-1/ref-1', 'failed');
    rig.service.ends('run-1/ref-2', 'failed');
    await rig.add(someRows(2));
    await rig.run();
    assert.deepEqual(await rig.states(), ['failed', 'failed']);
    await rig.db.execute(`UPDATE rows SET contradicted = 'completed', contradicted_at = 1 WHERE row_no = 1`);
    const policy = JSON.stringify({ repeatWithinDays: 0 });
    const other = { batch_id: 'batch-2', run_id, created_at: rig.clock.now(), policy };
    const batch = { ...aBatch(other), audit_seq: 0, audit_head: '' };
    const rows = someRows(2).map(({ batch_id: _, row_ref, ...row }): JudgedRow => {
      return { ...row, row_ref: `${row_ref}-again`, status: 'ready', problems: [], has_reference: true, before: null };
    });
    const judge = await findDuplicateJudge(rig.db, batch);
    const judged = judge === null ? rows : await judge(rig.db, rows);
    assert.deepEqual(
      judged.map(({ status }) => status),
      expected,
    );
  });
