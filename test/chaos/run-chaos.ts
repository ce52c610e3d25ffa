import { parseArgs } from 'node:util';
import { chaos } from './chaos.ts';

/** `npm run chaos -- --strikes N [--seed S]`: strikes real processes so many times, and prints what came of it. */
const { values } = parseArgs({
  options: { strikes: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
});
const startedAt = performance.now();
const { rounds, rows, kills, suspensions, violations } = await chaos({
  strikes: Number(values.strikes),
  seed: Number(values.seed),
});
const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
for (const violation of violations) process.stdout.write(`${violation}\n`);
process.stdout.write(
  `${kills} kills and ${suspensions} suspensions in ${rounds} runs of ${rows} rows, in ${seconds} s\n`,
);
process.stdout.write(`${violations.length} violations\n`);
process.exitCode = violations.length > 0 ? 1 : 0;
