import { parseArgs } from 'node:util';
import { makePlan } from './plan.ts';
import { type RunResult, simulateSeed } from './world.ts';

/** `npm run simulate -- --seeds N [--from S] [--trace]`: runs seeds, prints what struck, and how to replay what failed. */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    from: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
  },
});

const from = Number(values.from);
const seeds = Number(values.seeds);
const faults = new Map<string, number>();
const failed: RunResult[] = [];
const startedAt = performance.now();
let steps = 0;
for (let seed = from; seed < from + seeds; seed++) {
  if (values.trace) process.stdout.write(`${JSON.stringify(makePlan(seed), null, 2)}\n`);
  const result = await simulateSeed(seed);
  steps += result.steps;
  for (const [fault, count] of result.faults) faults.set(fault, (faults.get(fault) ?? 0) + count);
  if (values.trace) process.stdout.write(`${result.trace.join('\n')}\ntrace ${result.traceHash}\n`);
  if (result.violations.length === 0) continue;
  failed.push(result);
  for (const { invariant, what } of result.violations) process.stdout.write(`seed ${seed}: ${invariant}: ${what}\n`);
  process.stdout.write(`  replay: npm run simulate -- --seeds 1 --from ${seed} --trace\n`);
}
const seconds = (performance.now() - startedAt) / 1_000;
process.stdout.write(
  `${seeds} seeds in ${seconds.toFixed(1)} s (${(seeds / seconds).toFixed(0)} a second), ${steps} steps\n`,
);
for (const [fault, count] of [...faults].sort(([a], [b]) => (a < b ? -1 : 1)))
  process.stdout.write(`  ${fault.padEnd(20)} ${count}\n`);
process.stdout.write(`${failed.length} seeds with violations\n`);
process.exitCode = failed.length > 0 ? 1 : 0;
