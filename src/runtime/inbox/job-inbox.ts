import { type Dirent, existsSync } from 'node:fs';
import { access, mkdir, readdir, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import { isLeftOver, sortOut, unlessGone } from './complete-files.ts';

/** The folders of a job's source, which are made where they are missing. */
const folderNames = ['inbox', 'working', 'done', 'rejected'] as const;

/** What was found in an inbox. */
export interface Brought {
  /** Paths in `working`, in the order of their names. */
  taken: string[];
  /** Names of files that somebody is still writing. */
  unfinished: string[];
  /** Names of files that lie there as well and are not those that the pattern means. */
  others: string[];
  /** What is no file, and so is never paid: folders, pipes and links, each with what it is. */
  ignored: string[];
  /** Those that the pattern means and that cannot be taken. */
  stuck: Stuck[];
  /** Names of what lies in `working` besides. */
  remaining: string[];
}

/** A file that cannot be taken. */
export interface Stuck {
  /** Which, and why. */
  sentences: string;
  /** Whether that may pass by itself. */
  mayPass: boolean;
}

/** Where it is taken from, and by which slot. */
interface TakenBy {
  folder: string;
  pattern: string;
  stamp: string;
  /** Names that the slot has taken before. */
  known: ReadonlySet<string>;
  /**
   * Whether the inbox was there before: then it is not made where it is missing, since the disk or share that it is on
   * may be away.
   */
  isUsed: boolean;
}

/** What no time mends of a file that cannot be moved: its name, and an inbox on another disk than `working`. */
const lasting: readonly string[] = ['ENAMETOOLONG', 'EINVAL', 'EILSEQ', 'EXDEV'];

/** What stands in a name for bytes that are no UTF-8: under that name nothing is found. */
const unreadable = '\uFFFD';

/**
 * Files are paid as they lie there, and name people: whoever is not of the folder's group neither reads nor adds any.
 */
const sharedFolderMode = 0o750;

/** How often an inbox is looked at in a row: what vanished meanwhile may lie there under another name. */
const looksMax = 3;

/**
 * Takes the complete files of an inbox to `working`, where `stamp` (the slot) stands before their names: what a crash
 * leaves there is found again by it. A file that is still being written stays where it is. `requireSlot` rejects where
 * the slot is another process's by now: under its stamp nobody would look for a file any more. Throws
 * `FILE_UNREADABLE` where the folder cannot be used; what was taken by then is found by the stamp.
 */
export async function takeFromInbox(
  deps: { clock: Clock },
  options: TakenBy,
  requireSlot: () => Promise<void>,
): Promise<Brought> {
  const { folder, isUsed } = options;
  try {
    if (isUsed) await access(join(folder, 'inbox'));
    for (const name of folderNames) await mkdir(join(folder, name), { recursive: true, mode: sharedFolderMode });
    return await take(deps, options, requireSlot);
  } catch (error) {
    throw asFolderTrouble(folder, error);
  }
}

/** What the disk or share of a folder refuses is `FILE_UNREADABLE`; any other error is itself. */
export function asFolderTrouble(folder: string, error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error)) return error;
  const { code, path } = error as NodeJS.ErrnoException;
  const gone = path === folder ? 'it is gone' : 'its "inbox" is gone';
  const why = code === 'ENOENT' ? gone : errorMessage(error);
  return new AirbatchError('FILE_UNREADABLE', `the folder ${folder} cannot be used: ${why}`, { cause: error });
}

async function take(
  { clock }: { clock: Clock },
  { folder, pattern, stamp, known }: TakenBy,
  requireSlot: () => Promise<void>,
): Promise<Brought> {
  const wanted = globExpression(pattern);
  const inbox = join(folder, 'inbox');
  let unfinished: string[] = [];
  let others: string[] = [];
  let ignored: string[] = [];
  // One that cannot be taken keeps no other from being paid.
  const stuck = new Map<string, { why: string; mayPass: boolean }>();
  for (let look = 1, hasVanished = true; hasVanished && look <= looksMax; look++) {
    const entries = await readdir(inbox, { withFileTypes: true });
    for (const entry of entries)
      if (entry.isSymbolicLink() && wanted.test(entry.name))
        stuck.set(entry.name, { why: 'it is a link: put the file itself there', mayPass: false });
    const all = entries
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .sort();
    const isNameless = (name: string) => name.includes(unreadable) && !existsSync(join(inbox, name));
    const names: string[] = [];
    for (const name of all.filter((one) => wanted.test(one)))
      if (isNameless(name)) stuck.set(name, { why: 'its name is not UTF-8: give it another', mayPass: false });
      else names.push(name);
    others = all.filter((name) => !wanted.test(name) && !isLeftOver(name));
    ignored = entries
      .filter((entry) => !entry.isFile() && !isLeftOver(entry.name) && !stuck.has(entry.name))
      .map((entry) => `"${entry.name}" (${kindOf(entry)})`)
      .sort();
    const found = await sortOut(clock, inbox, names);
    unfinished = found.unfinished;
    let seen = unfinished.length;
    if (found.complete.length > 0) await requireSlot();
    for (const name of found.complete) {
      const place = freePlace(folder, stamp, name, known);
      try {
        if (await unlessGone(rename(join(inbox, name), place).then(() => true))) seen += 1;
      } catch (error) {
        const mayPass = !lasting.includes((error as NodeJS.ErrnoException).code ?? '');
        stuck.set(name, { why: errorMessage(error).replace(/, rename .*$/s, ''), mayPass });
        seen += 1;
      }
    }
    hasVanished = seen < names.length;
  }
  const inWorking = (await readdir(join(folder, 'working'))).sort();
  const isOwn = (name: string) => name.startsWith(`${stamp}~`);
  return {
    taken: inWorking.filter(isOwn).map((name) => join(folder, 'working', name)),
    remaining: inWorking.filter((name) => !isOwn(name)),
    unfinished: unfinished.filter((name) => !isLeftOver(name)),
    others,
    ignored,
    stuck: [...stuck].map(([name, { why, mayPass }]) => ({ sentences: `${name} cannot be taken: ${why}`, mayPass })),
  };
}

function kindOf(entry: Dirent): string {
  if (entry.isDirectory()) return 'a folder';
  if (entry.isSymbolicLink()) return 'a link';
  return entry.isFIFO() ? 'a pipe' : 'a device or socket';
}

/**
 * A second file of the same name in one slot is another file: it overwrites nothing, and passes for nothing that was
 * taken.
 */
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
  return new RegExp(`^${parts.join('.*')}$`, 'is');
}
