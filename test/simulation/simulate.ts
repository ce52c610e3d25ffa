import { parseArgs } from 'node:util';
import { makeFleetPlan } from './fleet/fleet-plan.ts';
import { simulateFleet } from './fleet/fleet-world.ts';
import { type AnyPlan, simulateAll } from './in-parallel.ts';
import { makePlan } from './plan.ts';
import { makeTotals, totalLines } from './totals.ts';
import { simulate } from './world.ts';

/**
 * `npm run simulate -- --seeds N [--from S] [--fleet] [--trace]`: runs seeds, prints what struck, and how to replay what
 * failed. `--fleet`: each seed is a fleet of machines on one ledger.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    from: { type: 'string', default: '1' },
    fleet: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
  },
});
const from = Number(values.from);
const seeds = Number(values.seeds);
const print = (line: string) => process.stdout.write(`${line}\n`);

function* plans(): Generator<AnyPlan> {
  for (let seed = from; seed < from + seeds; seed++) yield values.fleet ? makeFleetPlan(seed) : makePlan(seed);
}

if (values.trace) {
  for (const plan of plans()) {
    print(JSON.stringify(plan, null, 2));
    const { trace, traceHash, violations } = await ('machines' in plan ? simulateFleet(plan) : simulate(plan));
    for (const line of trace) print(line);
    print(`trace ${traceHash}`);
    for (const { invariant, what } of violations) print(`${invariant}: ${what}`);
    if (violations.length > 0) process.exitCode = 1;
  }
} else {
  const totals = makeTotals();
  await simulateAll(plans(), (plan, outcome) => {
    totals.add(outcome);
    if (outcome.violations.length === 0) return;
    for (const { invariant, what } of outcome.violations) print(`seed ${plan.seed}: ${invariant}: ${what}`);
    print(`  replay: npm run simulate -- --seeds 1 --from ${plan.seed} --trace${values.fleet ? ' --fleet' : ''}`);
  });
  for (const line of totalLines(totals, 'seeds')) print(line);
  process.exitCode = totals.failed > 0 ? 1 : 0;
}
