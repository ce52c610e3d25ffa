import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exhaustivePlans } from './exhaustive-plans.ts';
import { simulateAll } from './in-parallel.ts';
import { makePlan, type Plan } from './plan.ts';

/** Seeds of one run of the suite; `npm run simulate -- --seeds N` runs any number. */
const seeds = 2_000;

async function faultsOf(plans: Iterable<Plan>): Promise<{ runs: number; faults: number; violations: string[] }> {
  const found = { runs: 0, faults: 0, violations: [] as string[] };
  await simulateAll(plans, (plan, outcome) => {
    found.runs += 1;
    for (const count of outcome.faults.values()) found.faults += count;
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

test('no invariant is violated by any fault at any step, nor by any two of them for one row', async () => {
  const plans = await exhaustivePlans({ pairs: true });
  const { runs, faults, violations } = await faultsOf(plans);
  assert.equal(runs, plans.length);
  assert.ok(faults > runs / 2, `only ${faults} faults struck in ${runs} runs`);
  assert.deepEqual(violations, []);
});
