import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeFollowed } from '../../../src/engine/runner/followed-rows.ts';
import type { RowRecord } from '../../../src/ledger/rows/rows.ts';
import { inUnit } from '../../../src/ledger/unit-of-work.ts';
import { makeRig, someRows } from '../../support/engine.ts';

const accepted = (topupId: string, fields: Partial<RowRecord> = {}): RowRecord =>
  ({ batch_id: 'batch-1', row_no: 1, status: 'accepted', topup_id: topupId, ...fields }) as RowRecord;

describe('rows in memory', () => {
  test('are as they were last written, and removed when they have ended', () => {
    const followed = makeFollowed();
    followed.note([accepted('a'), accepted('b')]);
    followed.note([accepted('a', { service_status: 'processing' }), accepted('b', { status: 'completed' })]);
    assert.equal(followed.get('a')?.service_status, 'processing');
    assert.equal(followed.get('b'), null);
  });

  test('are the oldest ones if there are too many', () => {
    const followed = makeFollowed();
    followed.note(Array.from({ length: 10_000 }, (_, index) => accepted(`topup-${index}`)));
    assert.ok(followed.get('topup-0'));
    assert.equal(followed.get('topup-9999'), null);
    followed.note([accepted('topup-0', { status: 'failed' }), accepted('topup-9999')]);
    assert.ok(followed.get('topup-9999'));
  });

  test('are not trusted if somebody else has changed the row meanwhile', async () => {
    const rig = await makeRig({ settleMs: 30_000 });
    await rig.add(someRows(1));
    const running = rig.runner().run(36 * 3_600_000);
    await rig.clock.drive(rig.clock.sleep(5_000));
    assert.deepEqual(await rig.states(), ['accepted']);
    const elsewhere = { completed_at: rig.clock.now(), provider_reference: 'told elsewhere' };
    const row = await rig.row(1);
    await inUnit(rig.db, { clock: rig.clock, actor: 'elsewhere' }, (unit) =>
      unit.changeRow(row, 'complete', elsewhere, {}),
    );
    await rig.clock.drive(running);
    assert.equal((await rig.row(1)).provider_reference, 'told elsewhere');
    const completions = await rig.db.query(`SELECT actor FROM events WHERE kind = 'row.complete'`);
    assert.deepEqual(completions, [{ actor: 'elsewhere' }]);
  });
});
