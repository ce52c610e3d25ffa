import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchSummary } from '../../src/reports/summary.ts';
import { verdictOf } from '../../src/reports/verdict.ts';
import { makeRig, someRows } from '../support/engine.ts';

for (const [service, list] of [
  ['with a list', true],
  ['without a list', false],
] as const)
  test(`a second payment of a row that has not failed halts the account, and both are named (a service ${service})`, async () => {
    const rig = await makeRig({ list, settleMs: 30_000 });
    await rig.add(someRows(1));
    await rig.add(someRows(3), { batch_id: 'batch-2', run_id: 'run-2', created_at: 2 });
    await rig.db.execute(`UPDATE rows SET phone_number = '+25471299900' || row_no WHERE batch_id = 'batch-2'`);
    await rig.db.execute(`UPDATE rows SET next_action_at = ${rig.clock.now() + 120_000} WHERE batch_id = 'batch-2'`);
    const running = rig.runner().run(60_000);
    await rig.clock.drive(rig.clock.sleep(5_000));
    const [first] = [...rig.service.payments.values()].filter(({ reference }) => reference === 'run-1/ref-1');
    assert.ok(first);
    rig.service.payments.set('second', { ...first, key: 'another', topupId: 'second' });
    if (!list) {
      const { lookUp } = rig.service;
      rig.service.read = ({ reference }) => lookUp(reference);
    }
    await rig.clock.drive(running);
    const { status, second_topup_id, topup_id } = await rig.row(1);
    assert.deepEqual([status, second_topup_id], ['completed', 'second']);
    const { pause_reason, pause_detail } = await rig.batch('batch-2');
    assert.equal(pause_reason, 'service_mismatch');
    assert.match(
      pause_detail ?? '',
      new RegExp(`row 1 of batch batch-1 may have been paid twice, by ${topup_id} and second`),
    );
    assert.deepEqual(await rig.states('batch-2'), ['ready', 'ready', 'ready']);
    const summary = await batchSummary(rig.db, 'batch-1');
    assert.deepEqual(summary.paid_twice, { rows: 1, first: [{ row: 1, topup_id, second_topup_id: 'second' }] });
    const { tone, details } = verdictOf(summary);
    assert.notEqual(tone, 'good');
    assert.match(details.join('\n'), new RegExp(`paid twice: the service has the payments ${topup_id} and second`));
  });
