import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { type Bench, type Figure, median } from './figures.ts';

const root = resolve(import.meta.dirname, '..');
const launcher = 'src/cli/airbatch.js';

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
    await publishInto(folder);
    const kept = { XDG_CACHE_HOME: join(folder, 'cache') };
    const starts = {
      'node -e 0': { args: ['-e', '0'], env: {} },
      published: { args: [join(folder, launcher), '--help'], env: kept },
      clone: { args: [join(root, launcher), '--help'], env: kept },
      'published, first': { args: [join(folder, launcher), '--help'], env: { NODE_DISABLE_COMPILE_CACHE: '1' } },
      'clone, first': { args: [join(root, launcher), '--help'], env: { NODE_DISABLE_COMPILE_CACHE: '1' } },
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

/** The package as npm would install it: compiled, and without its sources. */
async function publishInto(folder: string): Promise<void> {
  // `npm run build` looks for faults as well, and writes declarations: neither is a part of a start.
  const fast = ['--noCheck', '--declaration', 'false'];
  const compiler = join(root, 'node_modules/.bin/tsc');
  const compiled = spawnSync(compiler, ['-p', join(root, 'src'), ...fast, '--outDir', join(folder, 'dist')], {
    encoding: 'utf8',
  });
  if (compiled.status !== 0) throw new Error(`the package does not compile: ${compiled.stdout}${compiled.stderr}`);
  await mkdir(join(folder, 'src/cli'), { recursive: true });
  await copyFile(join(root, launcher), join(folder, launcher));
  await copyFile(join(root, 'package.json'), join(folder, 'package.json'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
}

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
