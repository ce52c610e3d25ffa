import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { writePackage } from '../tools/bundle.ts';
import { type Bench, type Figure, median } from './figures.ts';

const launcher = resolve(import.meta.dirname, '../src/cli/airbatch.js');

interface Start {
  args: string[];
  env: Record<string, string>;
}

/**
 * How long `airbatch --help` takes against a Node that does nothing, taken in turns so that both meet the same
 * machine.
 */
export const bench: Bench = async ({ quick }) => {
  const folder = await mkdtemp(join(tmpdir(), 'airbatch-bench-start-'));
  try {
    const published = await writePackage(folder);
    const kept = { XDG_CACHE_HOME: join(folder, 'cache') };
    const starts = {
      'node -e 0': { args: ['-e', '0'], env: {} },
      published: { args: [published, '--help'], env: kept },
      clone: { args: [launcher, '--help'], env: kept },
      'published, first': { args: [published, '--help'], env: { NODE_DISABLE_COMPILE_CACHE: '1' } },
      'clone, first': { args: [launcher, '--help'], env: { NODE_DISABLE_COMPILE_CACHE: '1' } },
    } satisfies Record<string, Start>;
    const times = measure(starts, quick ? 1 : 31);
    const floor = median(times['node -e 0']);
    const ratio = (name: keyof typeof starts) => median(times[name]) / floor;
    const goal = { atMost: 3 };
    const figures: Figure[] = [
      { name: 'node -e 0', value: floor, unit: 'ms' },
      { name: 'airbatch --help, published package', value: ratio('published'), unit: 'x', goal },
      { name: 'airbatch --help, in a clone', value: ratio('clone'), unit: 'x', goal },
      { name: 'the very first start, published package', value: ratio('published, first'), unit: 'x' },
      { name: 'the very first start, in a clone', value: ratio('clone, first'), unit: 'x' },
    ];
    return { figures };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

function measure<Name extends string>(starts: Record<Name, Start>, times: number): Record<Name, number[]> {
  const names = Object.keys(starts) as Name[];
  const taken = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  // The first round fills the caches, the file system's and our own, and does not count.
  for (let round = 0; round <= times; round++) {
    for (const name of names) {
      const { args, env } = starts[name];
      const begun = performance.now();
      const { status } = spawnSync(process.execPath, args, { stdio: 'ignore', env: { ...process.env, ...env } });
      if (status !== 0) throw new Error(`${name} ended with code ${status}`);
      if (round > 0) taken[name].push(performance.now() - begun);
    }
  }
  return taken;
}
