import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { changedTests } from './changed-tests.ts';
import { importsOf, root } from './imports.ts';
import { isAlone, isLong, keepCompiled, keepFilesInMemory, roomOf, testOptions, writeProcess } from './processes.ts';

/**
 * `npm run check`: the type check, the linter, and the tests that a change concerns, at the same time. A change is
 * what differs from the branch `main`, or from the last commit where there is no such branch. Ends with code 1 if
 * anything fails.
 */

/** No further process of tests is started after this time; so a check of one room takes less than half a minute. */
const startTestsForMs = 15_000;
const processesAtOnce = 2;
/** A process that takes longer hangs: it is ended, and counts as failed. */
const processMsMax = 120_000;
/** Files of one room share what their process loads. With more of them, the last process would end too late. */
const filesPerProcess = 6;

const run = promisify(execFile);
const begun = performance.now();
const say = (line: string) => process.stdout.write(`${line}\n`);
const seconds = () => `${((performance.now() - begun) / 1_000).toFixed(1)} s`;
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

function changedFiles(): string[] {
  const base = git('branch', '--list', 'main') === '' ? 'HEAD' : git('merge-base', 'main', 'HEAD');
  const lists = [git('diff', '--name-only', base), git('ls-files', '--others', '--exclude-standard')];
  return [...new Set(lists.flatMap((list) => list.split('\n')))].filter((path) => path !== '').sort();
}

/** Runs a program; prints its output if it fails. Returns whether it succeeded. */
async function passes(name: string, program: string, args: readonly string[]): Promise<boolean> {
  try {
    await run(program, args, { cwd: root, maxBuffer: 64 * 1024 * 1024, timeout: processMsMax });
    say(`  ok      ${name}`);
    return true;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    say(`  FAILED  ${name}\n${stdout}${stderr}`);
    return false;
  }
}

/** Runs test files until the time is up. Returns whether all that ran have passed, and those that did not run. */
async function runTests(tests: readonly string[]): Promise<{ ok: boolean; leftOut: string[] }> {
  // The nearest tests come first, and so do their rooms.
  const waiting = [...Map.groupBy(tests, (file) => (isAlone(file) ? file : roomOf(file))).values()].flatMap((room) =>
    Array.from({ length: Math.ceil(room.length / filesPerProcess) }, () => room.splice(0, filesPerProcess)),
  );
  const folder = join(root, 'node_modules/.cache/check');
  let ok = true;
  const work = async () => {
    while (performance.now() - begun < startTestsForMs) {
      const share = waiting.shift();
      if (share === undefined) return;
      const options = [...testOptions, '--test', '--test-reporter=dot', writeProcess(share, folder)];
      if (!(await passes(share.join('\n          '), process.execPath, options))) ok = false;
    }
  };
  await Promise.all(Array.from({ length: processesAtOnce }, work));
  return { ok, leftOut: waiting.flat() };
}

keepCompiled();
keepFilesInMemory();
const changed = changedFiles();
const folders = ['src', 'test', 'bench', 'jobs'].flatMap((folder) => [...importsOf(join(root, folder), root)]);
const tests = changedTests(new Map(folders), changed, root);
say(`${changed.length} changed files, ${tests.length} test files that they concern`);
const linted = changed.filter((path) => existsSync(join(root, path)));
const lint = ['check', '--error-on-warnings', '--no-errors-on-unmatched'];
const types = ['--noEmit', '--incremental', '--tsBuildInfoFile', 'node_modules/.cache/check.tsbuildinfo'];
const { long = [], usual = [] } = Object.groupBy(tests, (file) => (isLong(file) ? 'long' : 'usual'));
const [typesOk, lintOk, { ok, leftOut }] = await Promise.all([
  passes('types', process.execPath, ['node_modules/typescript/bin/tsc', ...types]),
  linted.length === 0 ||
    passes('lint', process.execPath, ['node_modules/@biomejs/biome/bin/biome', ...lint, ...linted]),
  runTests(usual),
]);
if (long.length > 0) say(`Left out, since they take long:\n  node --test ${long.join(' ')}`);
if (leftOut.length > 0) say(`Left out, since time was up:\n  node --test ${leftOut.join(' ')}`);
say(`${typesOk && lintOk && ok ? 'All passed' : 'FAILED'} in ${seconds()}. "npm test" runs every test.`);
process.exitCode = typesOk && lintOk && ok ? 0 : 1;
