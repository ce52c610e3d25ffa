import { parseArgs } from 'node:util';
import { median } from '../../bench/figures.ts';
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
  const onStrike = (what: string) => void process.stdout.write(`${what}\n`);
  const options = { minutes: Number(values.minutes), accounts: Number(values.accounts), seed, onStrike };
  const { rows, strikes, takeOvers, violations } = await fleetChaos(options);
  const struck = [...strikes].map(([strike, count]) => `${count} x ${strike}`).join(', ');
  const taken = [...takeOvers].map(([strike, ms]) => {
    const [middle, worst] = [median(ms), Math.max(...ms)].map((one) => (one / 1_000).toFixed(1));
    return `after ${strike}, others hold the accounts in ${middle} s (median of ${ms.length}), ${worst} s (worst)`;
  });
  return [[`${struck} against 4 workers with ${rows} rows`, ...taken].join('\n'), violations];
}
