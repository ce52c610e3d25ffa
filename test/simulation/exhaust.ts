import { parseArgs } from 'node:util';
import { exhaustivePlans } from './exhaustive-plans.ts';
import { simulateAll } from './in-parallel.ts';
import { makeTotals, totalLines } from './totals.ts';

/**
 * `npm run simulate:all [-- --pairs]`: every fault at every step of a run of one row and of two; with `--pairs` also
 * all pairs of faults for one row.
 */
const { values } = parseArgs({ options: { pairs: { type: 'boolean', default: false } } });
const print = (line: string) => process.stdout.write(`${line}\n`);
const totals = makeTotals();
await simulateAll(await exhaustivePlans({ pairs: values.pairs }), (plan, outcome) => {
  totals.add(outcome);
  for (const { invariant, what } of outcome.violations) print(`${invariant}: ${what}\n  ${JSON.stringify(plan)}`);
});
for (const line of totalLines(totals, 'runs')) print(line);
process.exitCode = totals.failed > 0 ? 1 : 0;
