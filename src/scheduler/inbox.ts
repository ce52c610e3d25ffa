import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Clock } from '../core/clock.ts';

/** The folders of a job's source, which are made where they are missing. */
export const folderNames = ['inbox', 'working', 'done', 'rejected'] as const;

/** What was found in an inbox. */
export interface Brought {
  /** Paths in `working`, in the order of their names. */
  taken: string[];
  /** Names of files that somebody is still writing. */
  unfinished: string[];
}

/** A file that was changed this recently may still be written to. */
const quietMs = 3_000;
/** How long its size is watched. */
const watchMs = 500;

/** Names under which programs write what is not complete yet. */
const partial = /(^[.~])|(\.(part|partial|tmp|temp|crdownload|download|filepart|swp|lock)$)|(~$)/i;

/**
 * Takes the complete files of an inbox to `working`, where `stamp` (the slot) stands before their names: what a crash leaves there
 * is found again by it. A file that is still being written (its size or time moves, a lock lies beside it, or its name says so)
 * stays where it is.
 */
export async function takeFromInbox(
  { clock }: { clock: Clock },
  { folder, pattern, stamp, known }: { folder: string; pattern: string; stamp: string; known: ReadonlySet<string> },
): Promise<Brought> {
  for (const name of folderNames) await mkdir(join(folder, name), { recursive: true });
  const wanted = globExpression(pattern);
  const inbox = join(folder, 'inbox');
  const names = (await readdir(inbox, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && wanted.test(entry.name))
    .map(({ name }) => name);
  const unfinished: string[] = [];
  for (const name of names.sort()) {
    const path = join(inbox, name);
    if (partial.test(name) || isLocked(inbox, name) || !(await isQuiet(clock, path))) unfinished.push(name);
    else await rename(path, freePlace(folder, stamp, name, known));
  }
  const taken = (await readdir(join(folder, 'working')))
    .filter((name) => name.startsWith(`${stamp}~`))
    .sort()
    .map((name) => join(folder, 'working', name));
  // What no program will ever finish (an editor's back-up) is not waited for.
  return { taken, unfinished: unfinished.filter((name) => !/^[.~]|~$/.test(name)) };
}

/** A second file of the same name in one slot is another file: it overwrites nothing, and passes for nothing that was taken. */
function freePlace(folder: string, stamp: string, name: string, known: ReadonlySet<string>): string {
  const place = (own: string) => join(folder, 'working', `${stamp}~${own}`);
  let own = name;
  for (let count = 2; known.has(own) || existsSync(place(own)); count++) own = `${count}.${name}`;
  return place(own);
}

/** The name that a file had in the inbox; a second of the same name has its number before it. */
export function originalName(workingPath: string): string {
  return basename(workingPath).replace(/^[^~]*~/, '');
}

/** A folder's own pattern: "*" stands for any characters, everything else for itself; letters in either case. */
function globExpression(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'i');
}

/** Locks of spreadsheets (`~$name`, `.~lock.name#`), and the plain `name.lock`. */
function isLocked(inbox: string, name: string): boolean {
  return [`~$${name}`, `~$${name.slice(2)}`, `.~lock.${name}#`, `${name}.lock`].some((lock) =>
    existsSync(join(inbox, lock)),
  );
}

/** Whether nobody seems to write the file any more. */
export async function isQuiet(clock: Clock, path: string): Promise<boolean> {
  const before = await stat(path);
  if (clock.now() - before.mtimeMs < quietMs) return false;
  await clock.sleep(watchMs);
  const after = await stat(path).catch(() => null);
  return after !== null && after.size === before.size && after.mtimeMs === before.mtimeMs;
}
