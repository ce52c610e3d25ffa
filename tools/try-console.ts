import { spawn, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * `npm run console`: the console with the sandbox as its account and two sample batches, in a folder of its own. No
 * money moves. Builds the console if it is not built yet, or has changed since.
 */
const root = resolve(import.meta.dirname, '..');
const folder = join(root, '.airbatch/trial');
const airbatch = join(root, 'src/cli/airbatch.js');

const built = statSync(join(root, 'dist/console/index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
// Folders count, too: they change when a file in them is removed.
const sources = ['vite.config.ts', 'package-lock.json', ...globSync('src/console/**', { cwd: root })];
if (sources.some((path) => statSync(join(root, path)).mtimeMs > built)) {
  process.stdout.write('Building the console...\n');
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const { status } = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'error'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(join(folder, '.airbatch/ledger.db'))) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Every batch needs a second person: so a newcomer sees how a batch is approved.
  writeFileSync(join(folder, 'airbatch.config.json'), '{ "policy": { "approval": { "needed": "always" } } }\n');
  const people = ['Wanjiru Kamau', 'Otieno Odhiambo', 'Achieng Were', 'Kipchoge Rotich', 'Amina Yusuf', 'Grace Mutua'];
  const rows = Array.from({ length: 240 }, (_, index) => {
    // Two numbers that the sandbox lets fail.
    const phone =
      index === 70 || index === 140 ? `+2547${30 + (index % 60)}120001` : `+25471${2_000_015 + index * 137}`;
    return `${phone},1,${[500, 750, 1250.5, 300][index % 4]},KES,BONUS-${index + 1},${people[index % people.length]}`;
  });
  const bonus = join(folder, 'bonus.csv');
  writeFileSync(bonus, `${['phone_number,network_id,amount,currency,reference,employee', ...rows].join('\n')}\n`);
  for (const [file, runId] of [
    [join(root, 'samples/payroll.csv'), 'sample-payroll'],
    [bonus, 'sample-bonus'],
  ] as const)
    spawnSync(process.execPath, [airbatch, 'submit', file, '--run-id', runId], { cwd: folder, stdio: 'ignore' });
}

const args = [airbatch, 'console', '--sandbox', ...process.argv.slice(2)];
const child = spawn(process.execPath, args, { cwd: folder, stdio: 'inherit' });
// The console ends by itself at Ctrl-C, after what is in flight.
process.on('SIGINT', () => undefined);
child.on('exit', (code) => process.exit(code ?? 1));
