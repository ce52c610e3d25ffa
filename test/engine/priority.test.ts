import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeRig, someRows } from '../support/engine.ts';
import { aRow } from '../support/ledger.ts';

const second = 1_000;

/** A hundred thousand rows under way at one creation a second, and ten more that come behind them. */
async function behindMany(priority: 'urgent' | 'normal' | 'bulk') {
  const rig = await makeRig({ paceMs: second, settings: { idlePollMs: second, leaseTtlMs: 15 * second } });
  await rig.add(someRows(100_000), { priority: 'normal' });
  const runner = rig.runner();
  const running = runner.run(Number.POSITIVE_INFINITY);
  await rig.clock.drive(rig.clock.sleep(20 * second));
  const rows = Array.from({ length: 10 }, (_, index) => aRow(index + 1, { phone_number: `+2547339${10_000 + index}` }));
  await rig.add(rows, { batch_id: 'batch-2', run_id: 'run-2', priority });
  const submittedAt = rig.clock.now();
  // As "airbatch serve" is told of a batch that is approved in it; another process is noticed within a second.
  runner.nudge();
  await rig.clock.drive(rig.clock.sleep(30 * second));
  runner.stop();
  await rig.clock.drive(running);
  const after = rig.service.creates.filter(({ at }) => at >= submittedAt);
  const own = after.filter(({ reference }) => reference.startsWith('run-2/'));
  return { after, own, waited: (own[0]?.at ?? Number.POSITIVE_INFINITY) - submittedAt };
}

describe('ten rows behind a hundred thousand', () => {
  test('start within a second and before all others if they are urgent', async () => {
    const { after, own, waited } = await behindMany('urgent');
    assert.ok(waited <= second, `${waited} ms`);
    assert.equal(own.length, 10);
    const places = own.map((one) => after.indexOf(one));
    assert.equal((places.at(-1) ?? 0) - (places[0] ?? 0), 9, 'nothing else goes in between');
  });

  test('take turns with them if they have the same priority', async () => {
    const { after, own, waited } = await behindMany('normal');
    assert.ok(waited <= 2 * second, `${waited} ms`);
    assert.equal(own.length, 10);
    const turns = after.slice(0, 18).map(({ reference }) => reference.startsWith('run-2/'));
    assert.ok(turns.filter(Boolean).length >= 8 && turns.filter((turn) => !turn).length >= 8, turns.join());
  });

  test('wait for them if they are bulk', async () => {
    assert.equal((await behindMany('bulk')).own.length, 0);
  });
});
