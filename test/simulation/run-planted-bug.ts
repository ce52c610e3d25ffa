import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { plantedFleetBugs } from './fleet/planted-fleet-bugs.ts';
import { plantedBugs } from './planted-bugs.ts';

/**
 * Runs seeds with one planted bug until they catch it. Called as `node run-planted-bug.ts NAME SEEDS`; prints one line
 * of JSON. The bug is planted as the file is loaded: the program itself carries no seam for it.
 */
const [name = '', seedsText = '1000'] = process.argv.slice(2);
const bug = [...plantedBugs, ...plantedFleetBugs].find((one) => one.name === name);
if (!bug) throw new Error(`there is no planted bug "${name}"`);
const path = resolve(import.meta.dirname, '../../src', bug.file);
let planted = false;

registerHooks({
  load(url, context, nextLoad) {
    if (!url.startsWith('file:') || fileURLToPath(url) !== path) return nextLoad(url, context);
    const source = readFileSync(path, 'utf8');
    const places = source.split(bug.find).length - 1;
    if (places !== 1) throw new Error(`"${bug.name}" has ${places} places in ${bug.file}; it must have one`);
    planted = true;
    return {
      format: 'module',
      source: stripTypeScriptTypes(source.replace(bug.find, () => bug.replace)),
      shortCircuit: true,
    };
  },
});

/** Half of the usual: a bug that keeps the work going is caught sooner. */
const usualJumpsMax = 100_000;

const { simulateSeed } = await import('./world.ts');
const { simulateFleetSeed } = await import('./fleet/fleet-world.ts');
const simulateOne = bug.name.startsWith('fleet: ')
  ? simulateFleetSeed
  : (one: number) => simulateSeed(one, { jumpsMax: bug.jumpsMax ?? usualJumpsMax });
const all = Array.from({ length: Number(seedsText) }, (_, index) => index + 1);
// A bug that is caught late need not be searched for each time. Where the program has changed and that seed no longer
// catches it, it is.
const order = bug.seed === undefined ? all : [bug.seed, ...all.filter((one) => one !== bug.seed)];
let caught: { seed: number; by: string } | null = null;
let seed = 0;
let seeds = 0;
const report = () => process.stdout.write(`${JSON.stringify({ name: bug.name, planted, caught, seeds })}\n`);
// What nobody waited for can fail as well: a program that dies of it is caught.
process.once('uncaughtException', (error) => {
  caught = { seed, by: `died: ${error.message}` };
  report();
  process.exit();
});
for (seed of order) {
  seeds += 1;
  try {
    const { violations } = await simulateOne(seed);
    const [first] = violations;
    if (first) caught = { seed, by: `${first.invariant}: ${first.what}` };
  } catch (error) {
    // An assertion of the program's own is a catch too: it stopped before harm.
    caught = { seed, by: `stopped: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (caught) break;
}
// A bug whose code cannot run proves nothing.
if (/is not defined|is not a function|Cannot find module|does not provide an export/.test(caught?.by ?? ''))
  throw new Error(`the planted bug "${bug.name}" cannot run: ${caught?.by}`);
report();
