import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './imports.ts';

/**
 * Files that take half a minute or longer. Each has a process of its own, and they begin first: one that begins last is
 * waited for alone.
 */
const longest = [
  'quick',
  'package',
  'jobs',
  'chaos',
  'planted-bugs',
  'simulation',
  'serve',
  'console',
  'new-batch',
  'whole-way',
  'workers',
  'verify',
];
/** Rooms of tests that take long, or that start a browser, which ends with its process. */
const alone = ['browser', 'bench', 'chaos', 'simulation'];
/** Rooms whose tests start the command: their processes take long, so they begin before those of other rooms. */
const early = ['e2e', 'cli', 'serving', 'verify'];
/**
 * A start of Node that loads most of the program takes a second of processor time, and more until its code is compiled
 * well: with 24 files a process, two rooms took 17.4 s of it instead of 24.2 with 8. More files would wait in line.
 */
const filesPerProcess = 24;

/**
 * The options of every process of tests. Tests make much that they need once: with room for it, it is collected less
 * often. Saves a tenth of the time.
 */
export const testOptions = [
  `--import=${new URL('./no-attribution.ts', import.meta.url)}`,
  ...['--min-semi-space-size=32', '--max-semi-space-size=64'],
];

/**
 * Many tests start the command. All processes keep the compiled code of the program in one folder; that halves what a
 * start costs.
 */
export function keepCompiled(): void {
  process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.cache/compiled');
}

/** Some tests write hundreds of megabytes, and several run at a time. */
const memoryBytesMin = 4 * 2 ** 30;

/**
 * What tests write need not survive a loss of power. In memory, to make, sync and remove a file costs nothing; that saves
 * a tenth of the processor time, and the waits for the disk. Not where memory is short, or where files in memory cannot
 * be executed, as in some containers.
 */
export function keepFilesInMemory(folder = '/dev/shm'): void {
  if (process.env.TMPDIR !== undefined || !existsSync(folder)) return;
  const { bavail, bsize } = statfsSync(folder);
  if (Math.min(bavail * bsize, process.availableMemory()) < memoryBytesMin) return;
  const trial = join(mkdtempSync(join(folder, 'airbatch-test-')), 'program');
  writeFileSync(trial, '', { mode: 0o700 });
  if (canExecute(trial)) process.env.TMPDIR = folder;
  rmSync(dirname(trial), { recursive: true });
}

function canExecute(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Writes the file of a process, which loads its test files one after the other. Returns the path of this file. */
export function writeProcess(share: readonly string[], folder: string): string {
  mkdirSync(folder, { recursive: true });
  if (share.length === 1) return join(root, share[0] as string);
  const path = join(folder, `${(share[0] as string).replaceAll('/', '-').replace('.test.ts', '')}.test.mjs`);
  const lines = share.map((file) => `await import(${JSON.stringify(pathToFileURL(join(root, file)))});\n`);
  writeFileSync(path, lines.join(''));
  return path;
}

/** Which files run in one process, in the order in which these begin: those of one room, unless one takes long. */
export function shareProcesses(files: readonly string[]): string[][] {
  const single = files.filter(isAlone).map((file) => [file]);
  const order = ([file = '']: readonly string[]) => (rank(file) < 0 ? longest.length : rank(file));
  const shared = Map.groupBy(
    files.filter((file) => !isAlone(file)),
    roomOf,
  );
  const shares = [...shared.values()].flatMap((room) => {
    const count = Math.ceil(room.length / filesPerProcess);
    return Array.from({ length: count }, (_, share) => room.filter((_, index) => index % count === share));
  });
  const isLate = ([file = '']: readonly string[]) => Number(!early.includes(roomOf(file)));
  // The shortest begin last: then no process is waited for alone.
  shares.sort((a, b) => isLate(a) - isLate(b) || b.length - a.length);
  return [...single.sort((a, b) => order(a) - order(b)), ...shares];
}

export const roomOf = (file: string) => file.split('/')[1] ?? '';
const rank = (file: string) => longest.indexOf(basename(file, '.test.ts'));

/** Whether a file takes so long that nobody waits for it while they work. */
export const isLong = (file: string) => rank(file) >= 0;

/** Whether a file has a process of its own. */
export function isAlone(file: string): boolean {
  return isLong(file) || dirname(file) === 'test' || alone.includes(roomOf(file));
}
