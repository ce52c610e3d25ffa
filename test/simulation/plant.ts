import { parseArgs } from 'node:util';
import { plantedFleetBugs } from './fleet/planted-fleet-bugs.ts';
import { plantAll } from './plant-all.ts';
import { plantedBugs } from './planted-bugs.ts';

/**
 * `npm run simulate:planted [-- --seeds N] [--fleet]`: plants one bug after the other, and prints after how many seeds
 * each was caught. `--fleet`: those of several machines.
 */
const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '1000' }, fleet: { type: 'boolean', default: false } },
});
const startedAt = performance.now();
const results = await plantAll(values.fleet ? plantedFleetBugs : plantedBugs, Number(values.seeds));
for (const { name, caught, seeds } of results) {
  const verdict = caught ? `caught by seed ${caught.seed}: ${caught.by}` : `NOT CAUGHT in ${seeds} seeds`;
  process.stdout.write(`${name.padEnd(60)} ${verdict.replaceAll('\n', ' ').slice(0, 160)}\n`);
}
const missed = results.filter(({ caught, planted }) => !caught || !planted);
const seconds = (performance.now() - startedAt) / 1_000;
process.stdout.write(`${results.length - missed.length} of ${results.length} caught, in ${seconds.toFixed(0)} s\n`);
process.exitCode = missed.length > 0 ? 1 : 0;
