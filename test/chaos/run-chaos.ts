import { parseArgs } from 'node:util';
import { chaos } from './chaos.ts';
import { fleetChaos } from './fleet-chaos.ts';

/**
 * `npm run chaos -- --strikes N [--seed S]` strikes real processes so many times, `npm run chaos -- --fleet [--minutes
 * N] [--accounts N]` the workers of a fleet for so long; they print what came of it.
 */
const { values } = parseArgs({
  options: {
    strikes: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    fleet: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '30' },
    accounts: { type: 'string', default: '40' },
  },
});
const startedAt = performance.now();
const seed = Number(values.seed);
const [summary, violations] = values.fleet ? await ofFleet() : await ofCommands();
const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
for (const violation of violations) process.stdout.write(`${violation}\n`);
process.stdout.write(`${summary}, in ${seconds} s\n`);
process.stdout.write(`${violations.length} violations\n`);
process.exitCode = violations.length > 0 ? 1 : 0;

async function ofCommands(): Promise<[string, string[]]> {
  const { rounds, rows, kills, suspensions, violations } = await chaos({ strikes: Number(values.strikes), seed });
  return [`${kills} kills and ${suspensions} suspensions in ${rounds} runs of ${rows} rows`, violations];
}

async function ofFleet(): Promise<[string, string[]]> {
  const options = { minutes: Number(values.minutes), accounts: Number(values.accounts), seed };
  const { rows, strikes, takeOvers, violations } = await fleetChaos(options);
  const struck = [...strikes].map(([strike, count]) => `${count} x ${strike}`).join(', ');
  const sorted = takeOvers.map((ms) => ms / 1_000).toSorted((one, other) => one - other);
  const [median = 0, worst = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  const taken = `taken over after ${median.toFixed(1)} s (median), ${worst.toFixed(1)} s (worst)`;
  return [`${struck} against 4 workers with ${rows} rows; accounts of killed ones ${taken}`, violations];
}
