import { existsSync } from 'node:fs';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { errorMessage } from '../core/errors.ts';
import { isLeftOver, sortOut, unlessGone } from './complete-files.ts';
import { isStamped } from './slot-stamp.ts';

/** The folders of a job's source, which are made where they are missing. */
const folderNames = ['inbox', 'working', 'done', 'rejected'] as const;

/** What was found in an inbox. */
export interface Brought {
  /** Paths in `working`, in the order of their names. */
  taken: string[];
  /** Names of files that somebody is still writing. */
  unfinished: string[];
  /** Names of files that lie there as well and are not those that the pattern means, and of folders. */
  others: string[];
  /** Which of those that the pattern means cannot be taken, and why, in words. */
  stuck: string[];
  /** Names of what lies in `working` besides. */
  beside: string[];
}

/** What stands in a name for bytes that are no UTF-8: under that name nothing is found. */
const unreadable = '\uFFFD';

/** How often an inbox is looked at in a row: what vanished meanwhile may lie there under another name. */
const looksMax = 3;

/**
 * Takes the complete files of an inbox to `working`, where `stamp` (the slot) stands before their names: what a crash leaves there
 * is found again by it. A file that is still being written stays where it is. `requireSlot` rejects where the slot is another process's by
 * now: under its stamp nobody would look for a file any more.
 */
export async function takeFromInbox(
  { clock }: { clock: Clock },
  { folder, pattern, stamp, known }: { folder: string; pattern: string; stamp: string; known: ReadonlySet<string> },
  requireSlot: () => Promise<void>,
): Promise<Brought> {
  for (const name of folderNames) await mkdir(join(folder, name), { recursive: true });
  const wanted = globExpression(pattern);
  const inbox = join(folder, 'inbox');
  let unfinished: string[] = [];
  let others: string[] = [];
  // One that cannot be taken keeps no other from being paid.
  const stuck = new Map<string, string>();
  for (let look = 1, hasVanished = true; hasVanished && look <= looksMax; look++) {
    const entries = await readdir(inbox, { withFileTypes: true });
    for (const entry of entries)
      if (entry.isSymbolicLink() && wanted.test(entry.name))
        stuck.set(entry.name, 'it is a link: put the file itself there');
    const all = entries
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .sort();
    const isNameless = (name: string) => name.includes(unreadable) && !existsSync(join(inbox, name));
    const names: string[] = [];
    for (const name of all.filter((one) => wanted.test(one)))
      if (isNameless(name)) stuck.set(name, 'its name is not UTF-8: give it another');
      else names.push(name);
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${name}/`);
    others = [...all.filter((name) => !wanted.test(name)), ...folders].filter((name) => !isLeftOver(name));
    const found = await sortOut(clock, inbox, names);
    unfinished = found.unfinished;
    let seen = unfinished.length;
    if (found.complete.length > 0) await requireSlot();
    for (const name of found.complete) {
      const place = freePlace(folder, stamp, name, known);
      try {
        if (await unlessGone(rename(join(inbox, name), place).then(() => true))) seen += 1;
      } catch (error) {
        stuck.set(name, errorMessage(error).replace(/, rename .*$/s, ''));
        seen += 1;
      }
    }
    hasVanished = seen < names.length;
  }
  const inWorking = (await readdir(join(folder, 'working'))).sort();
  const isOwn = (name: string) => name.startsWith(`${stamp}~`);
  return {
    taken: inWorking.filter(isOwn).map((name) => join(folder, 'working', name)),
    beside: inWorking.filter((name) => !isOwn(name)),
    unfinished: unfinished.filter((name) => !isLeftOver(name)),
    others,
    stuck: [...stuck].map(([name, why]) => `${name} cannot be taken: ${why}`),
  };
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

/** The folder from whose inbox a file was taken, which lies, or lay, in its `working`; null of a file that was brought otherwise. */
export function folderTakenFrom(workingPath: string): string | null {
  const isTaken = basename(dirname(workingPath)) === 'working' && isStamped(basename(workingPath));
  return isTaken ? dirname(dirname(workingPath)) : null;
}

/** A folder's own pattern: "*" stands for any characters, everything else for itself; letters in either case. */
function globExpression(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'is');
}
