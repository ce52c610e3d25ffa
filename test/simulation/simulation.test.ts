import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exhaustivePlans } from './exhaustive-plans.ts';
import { simulateAll } from './in-parallel.ts';
import { makePlan, type Plan } from './plan.ts';

/** Seeds of one run of the suite; `npm run simulate -- --seeds N` runs any number. */
const seeds = 300;

async function faultsOf(plans: Iterable<Plan>) {
  const found = { runs: 0, faults: 0, violations: [] as string[], spared: [] as Plan[] };
  await simulateAll(plans, (plan, outcome) => {
    found.runs += 1;
    const faults = [...outcome.faults.values()].reduce((sum, count) => sum + count, 0);
    found.faults += faults;
    if (faults < plan.crashes.length + plan.disk.length + plan.lostAnswers.length) found.spared.push(plan);
    for (const { invariant, what } of outcome.violations)
      found.violations.push(`seed ${plan.seed}: ${invariant}: ${what}: ${JSON.stringify(plan)}`);
  });
  return found;
}

test(`no invariant is violated in ${seeds} seeds of faults`, async () => {
  const plans = Array.from({ length: seeds }, (_, index) => makePlan(index + 1));
  const { runs, faults, violations } = await faultsOf(plans);
  assert.equal(runs, seeds);
  assert.ok(faults > seeds, `only ${faults} faults struck`);
  assert.deepEqual(violations, []);
});

test('no invariant is violated by any fault at any step', async () => {
  const plans = await exhaustivePlans({ pairs: false });
  const { runs, violations, spared } = await faultsOf(plans);
  assert.equal(runs, plans.length);
  assert.ok(runs > 450, `only ${runs} runs`);
  assert.deepEqual(spared, [], 'runs that a fault of their plan did not strike');
  assert.deepEqual(violations, []);
});
