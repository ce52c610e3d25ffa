import { existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { writePackage } from '../../tools/bundle.ts';
import { startPostgres } from '../support/postgres.ts';
import { root } from './imports.ts';
import { keepCompiled, keepFilesInMemory, shareProcesses, testOptions, writeProcess } from './processes.ts';
import { secondsOfChildren } from './processor-time.ts';

/**
 * `npm test [-- PATTERN...]`: runs every test, or the files that a pattern names, and prints the files that took
 * longest, the processes that took most of the processors, and why a process failed although its tests passed. Ends
 * with code 1 if a test fails.
 */

/** Twice the cores of the smallest machine that it is meant for: many tests wait for a process or a clock. */
const processesAtOnce = 4;
const processTimeoutMs = 900_000;
const listedMax = 20;

keepCompiled();
keepFilesInMemory();

// One server for all processes: each would take seconds to make its own.
const server =
  process.env.AIRBATCH_TEST_LEDGER === 'postgres' && !process.env.AIRBATCH_TEST_POSTGRES ? await startPostgres() : null;
if (server !== null) process.env.AIRBATCH_TEST_POSTGRES = server.url;
server?.child.unref();

// Hundreds of processes start the program, and load a bundle in less time than the sources and the packages. How the
// program runs with the packages outside, as it is published, test/package.test.ts shows.
const program = join(root, 'node_modules/.cache/program');
rmSync(program, { recursive: true, force: true });
process.env.AIRBATCH_TEST_PROGRAM = await writePackage(program, { withPackages: true });

const times = join(root, 'node_modules/.cache/suite-times.txt');
rmSync(times, { force: true });
Object.assign(process.env, { AIRBATCH_SUITE_TIMES: times, AIRBATCH_SUITE_PID: String(process.pid) });

const patterns = process.argv.slice(2);
const files = globSync(patterns.length > 0 ? patterns : 'test/**/*.test.ts', { cwd: root }).sort();
const tests = run({
  cwd: root,
  files: shareProcesses(files).map((share) => writeProcess(share, join(root, 'node_modules/.cache/suite'))),
  concurrency: processesAtOnce,
  timeout: processTimeoutMs,
  execArgv: [`--import=${new URL('./note-processor-time.ts', import.meta.url)}`, ...testOptions],
});
const took = new Map<string, number>();
/** What no test is to blame for: how a process ended, and what happened in it after a test had ended. */
const beside: string[] = [];
tests.on('test:fail', ({ name, details }) => {
  process.exitCode = 1;
  const { exitCode, signal } = details.error as { exitCode?: number; signal?: string | null };
  if (exitCode !== undefined) beside.push(`${relative(root, name)} ended with ${signal ?? `code ${exitCode}`}\n`);
});
tests.on('test:diagnostic', ({ message, file }) => {
  if (/asynchronous activity/.test(message)) beside.push(`${relative(root, file ?? '')}: ${message}\n`);
});
tests.on('test:complete', ({ name, file, nesting, details }) => {
  // A file that has a process of its own is complete as well, under its own name.
  const isFile = name.endsWith('.test.ts');
  if (file?.endsWith('.ts') && nesting === 0 && !isFile) took.set(file, (took.get(file) ?? 0) + details.duration_ms);
});
tests.on('test:summary', ({ success }) => {
  if (!success) process.exitCode = 1;
});
tests.compose(new spec()).pipe(process.stdout);

/** The largest of what took so many seconds, one a line. */
function listed(title: string, entries: readonly (readonly [string, number])[]): string {
  const largest = entries.toSorted(([, a], [, b]) => b - a).slice(0, listedMax);
  const lines = largest.map(([file, seconds]) => `${seconds.toFixed(1).padStart(8)} s  ${relative(root, file)}\n`);
  return `\n${title}:\n${lines.join('')}`;
}

process.once('beforeExit', async () => {
  const files = [...took].map(([file, ms]) => [file, ms / 1_000] as const);
  process.stdout.write(listed('The files that took longest', files));
  const noted = existsSync(times) ? readFileSync(times, 'utf8').trimEnd().split('\n') : [];
  const processes = noted.map((line) => JSON.parse(line) as { file: string; seconds: number });
  process.stdout.write(
    listed(
      `Processor time: ${secondsOfChildren() ?? 'unknown'} s in ${(process.uptime()).toFixed(1)} s. Most of it`,
      processes.map(({ file, seconds }) => [file, seconds]),
    ),
  );
  if (beside.length > 0) process.stdout.write(`\nBeside the tests:\n${beside.join('')}`);
  await server?.stop();
});
