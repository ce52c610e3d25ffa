import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeRig, type Rig } from '../../support/engine.ts';
import { aRow } from '../../support/ledger.ts';
import { makeVirtualLimiter } from '../../support/virtual-limiter.ts';

const windowMs = 60_000;
const limit = 3;

/** A program with the limiter of an account; this service's answers have no headers. */
const program = (rig: Rig, version: 'v1' | 'v2') =>
  rig.runner({ limiter: makeVirtualLimiter({ version, limits: { creation: { limit } } }, { clock: rig.clock }) });

/** The most of these times in any window. */
const mostInWindow = (times: readonly number[]) =>
  Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length));

for (const version of ['v1', 'v2'] as const) {
  test(`${version}: programs that follow one another stay within the limit together`, async () => {
    const rig = await makeRig();
    for (const file of [0, 1]) {
      const rows = [1, 2, 3].map((rowNo) => aRow(rowNo, { phone_number: `+23324512${file}00${rowNo}` }));
      await rig.add(rows, { batch_id: `batch-${file}`, run_id: `run-${file}` });
      // It ends when the rows have ended, and the next one begins at once.
      await rig.clock.drive(program(rig, version).run(1_000));
    }
    assert.equal(rig.service.creates.length, 6);
    assert.equal(mostInWindow(rig.service.creates.map(({ at }) => at)), limit);
  });
}
