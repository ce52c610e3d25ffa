import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calmPlan, makePlan } from './plan.ts';
import { simulate, simulateSeed } from './world.ts';

test('the same seed gives the same trace, and another seed another one', async () => {
  const hashes = new Set<string>();
  for (const seed of [1, 2, 3, 5, 8, 13, 21, 34]) {
    const [first, second] = [await simulateSeed(seed), await simulateSeed(seed)];
    assert.ok(first.trace.length > 3, `seed ${seed} shows what happened`);
    assert.equal(first.traceHash, second.traceHash, `seed ${seed}`);
    hashes.add(first.traceHash);
  }
  assert.equal(hashes.size, 8);
});

test('a disk that loses acknowledged writes is detected every time', async () => {
  let runs = 0;
  for (let seed = 1; runs < 20; seed++) {
    // A loss of power in the middle of the sending, in an otherwise calm world.
    const plan = makePlan(seed);
    if (plan.rows < 3) continue;
    const calm = { ...calmPlan(plan.version, plan.rows), seed };
    const cut = { ...calm, crashes: [{ atStep: 12, powerLoss: true }] };
    const honest = await simulate(cut);
    assert.deepEqual(honest.violations, [], `seed ${seed} without the control`);
    const { violations } = await simulate(cut, { cutAcknowledged: true }).catch((error: Error) => ({
      violations: [{ invariant: 'stopped', what: error.message }],
    }));
    assert.notDeepEqual(violations, [], `seed ${seed} with the control`);
    runs += 1;
  }
});
