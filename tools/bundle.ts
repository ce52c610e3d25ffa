import { copyFileSync, globSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from 'rolldown';

const root = resolve(import.meta.dirname, '..');

/**
 * Writes the program as the package has it: its modules in few files, because Node needs longer to find and load 900
 * files than to run them. One call writes the library, the command and its threads, so that all share one copy of each
 * module. The packages that they use stay outside, where `npm audit` sees them and `npm update` replaces them.
 * `withPackages` takes them in as well: then a start reads a tenth of the files.
 */
export async function writeBundle(folder: string, { withPackages = false } = {}): Promise<void> {
  const entries = ['index.ts', 'cli/main.ts', ...globSync('**/*-worker.{ts,js}', { cwd: join(root, 'src') })];
  await build({
    cwd: root,
    input: Object.fromEntries(entries.map((file) => [file.replace(/\.[jt]s$/, ''), join(root, 'src', file)])),
    external: (id, importer, isResolved) =>
      !withPackages && !isResolved && importer !== undefined && !id.startsWith('.'),
    platform: 'node',
    // Some packages look for others that are not installed, and do without.
    logLevel: withPackages ? 'silent' : 'info',
    output: {
      dir: folder,
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      sourcemap: true,
      sourcemapExcludeSources: true,
    },
  });
}

/**
 * Writes the program into a new folder as npm would install it: bundled, and without its sources. Returns the path of
 * the command.
 */
export async function writePackage(folder: string, options: { withPackages?: boolean } = {}): Promise<string> {
  const launcher = join(folder, 'src/cli/airbatch.js');
  mkdirSync(dirname(launcher), { recursive: true });
  for (const file of ['package.json', 'src/cli/airbatch.js']) copyFileSync(join(root, file), join(folder, file));
  await writeBundle(join(folder, 'dist'), options);
  for (const place of ['node_modules', 'docs', 'dist/console']) symlinkSync(join(root, place), join(folder, place));
  return launcher;
}

if (import.meta.main) await writeBundle(join(root, 'dist'));
