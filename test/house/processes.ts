import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './imports.ts';

/**
 * Files that take minutes. Each has a process of its own, and they begin first: one that begins last is waited for
 * alone.
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
 * Writes one file a process, which loads the test files of its room one after the other, and returns the paths of these
 * files in the order in which they begin.
 */
export function writeProcesses(files: readonly string[], folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  return shareProcesses(files).map((share) => {
    if (share.length === 1) return join(root, share[0] as string);
    const path = join(folder, `${(share[0] as string).replaceAll('/', '-').replace('.test.ts', '')}.test.mjs`);
    const lines = share.map((file) => `await import(${JSON.stringify(pathToFileURL(join(root, file)))});\n`);
    writeFileSync(path, lines.join(''));
    return path;
  });
}

/** Which files run in one process: those of one room, unless one takes long. */
export function shareProcesses(files: readonly string[]): string[][] {
  const rank = (file: string) => longest.indexOf(basename(file, '.test.ts'));
  const isAlone = (file: string) => rank(file) >= 0 || dirname(file) === 'test' || alone.includes(roomOf(file));
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

const roomOf = (file: string) => file.split('/')[1] ?? '';
