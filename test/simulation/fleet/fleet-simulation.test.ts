import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeFleetPlan } from './fleet-plan.ts';
import { simulateFleet } from './fleet-world.ts';

/** Some seconds of processor time; `npm run simulate -- --fleet --seeds N` runs any number. */
const seeds = 4;

test('several machines on one ledger pay every row once, whatever strikes them; and a seed repeats', async () => {
  let faults = 0;
  let hash = '';
  for (let seed = 1; seed <= seeds; seed++) {
    const outcome = await simulateFleet(makeFleetPlan(seed));
    assert.deepEqual(outcome.violations, [], `seed ${seed}`);
    for (const count of outcome.faults.values()) faults += count;
    if (seed === 3) hash = outcome.traceHash;
  }
  assert.ok(faults > seeds * 4, `only ${faults} faults struck`);
  assert.equal((await simulateFleet(makeFleetPlan(3))).traceHash, hash);
});
