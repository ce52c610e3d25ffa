import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { root } from './imports.ts';

/**
 * `npm test [-- PATTERN...]`: runs every test, or the files that a pattern names, and prints the files that took
 * longest. Ends with code 1 if a test fails.
 */

/** Twice the cores of the smallest machine that the suite is meant for: some tests wait for a process or a clock. */
const filesAtOnce = 4;
const fileTimeoutMs = 900_000;
const slowestFilesMax = 20;
/** The files that take minutes begin first: one that begins last is waited for alone. */
const longest = ['planted-bugs', 'jobs', 'quick', 'chaos', 'simulation', 'serve', 'package', 'console', 'new-batch'];

// Each file runs in a process of its own, and many start the command. All of them keep the compiled code of the program
// in one folder; that halves what a start costs.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.cache/compiled');

const patterns = process.argv.slice(2);
const files = globSync(patterns.length > 0 ? patterns : 'test/**/*.test.ts', { cwd: root }).sort();
const rank = (file: string) => {
  const place = longest.indexOf(basename(file, '.test.ts'));
  return place < 0 ? longest.length : place;
};
const tests = run({
  cwd: root,
  files: files.sort((a, b) => rank(a) - rank(b)).map((file) => join(root, file)),
  concurrency: filesAtOnce,
  timeout: fileTimeoutMs,
  execArgv: [`--import=${new URL('./no-attribution.ts', import.meta.url)}`],
});
const took: { file: string; ms: number }[] = [];
tests.on('test:fail', () => {
  process.exitCode = 1;
});
tests.on('test:summary', ({ file, duration_ms, success }) => {
  if (file !== undefined) took.push({ file: file.slice(root.length + 1), ms: duration_ms });
  if (!success) process.exitCode = 1;
});
tests.compose(new spec()).pipe(process.stdout);
process.once('beforeExit', () => {
  const slowest = took.sort((a, b) => b.ms - a.ms).slice(0, slowestFilesMax);
  const lines = slowest.map(({ file, ms }) => `${(ms / 1_000).toFixed(1).padStart(8)} s  ${file}\n`);
  process.stdout.write(`\nThe files that took longest:\n${lines.join('')}`);
});
