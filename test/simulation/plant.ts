import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import pLimit from 'p-limit';
import { plantedBugs } from './planted-bugs.ts';

/** `npm run simulate:planted -- [--seeds N]`: plants one bug after the other, and prints after how many seeds each was caught. */
const { values } = parseArgs({ options: { seeds: { type: 'string', default: '1000' } } });

interface Caught {
  name: string;
  planted: boolean;
  caught: { seed: number; by: string } | null;
  seeds: number;
}

const run = promisify(execFile);
const limit = pLimit(availableParallelism());
const startedAt = performance.now();
const results = await Promise.all(
  plantedBugs.map(({ name }) =>
    limit(async (): Promise<Caught> => {
      const { stdout } = await run(process.execPath, [
        join(import.meta.dirname, 'run-planted-bug.ts'),
        name,
        values.seeds,
      ]);
      return JSON.parse(stdout) as Caught;
    }),
  ),
);
for (const { name, caught, seeds } of results) {
  const verdict = caught ? `caught by seed ${caught.seed}: ${caught.by}` : `NOT CAUGHT in ${seeds} seeds`;
  process.stdout.write(`${name.padEnd(64)} ${verdict}\n`);
}
const missed = results.filter(({ caught, planted }) => !caught || !planted);
const seconds = (performance.now() - startedAt) / 1_000;
process.stdout.write(`${results.length - missed.length} of ${results.length} caught, in ${seconds.toFixed(0)} s\n`);
process.exitCode = missed.length > 0 ? 1 : 0;
