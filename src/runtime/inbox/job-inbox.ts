import { type Dirent, existsSync } from 'node:fs';
import { access, mkdir, readdir, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import { type SlotPart, slotPart, slotReason } from '../../core/basics/slot-result.ts';
import { unlessGone } from '../../core/basics/unless-gone.ts';
import type { Clock } from '../../core/time/clock.ts';
import { isLeftOver, sortOut } from './complete-files.ts';

/** The folders of a job's source. airbatch creates them if they are missing. */
const folderNames = ['inbox', 'working', 'done', 'rejected'] as const;

/** The contents of an inbox. */
export interface Brought {
  /** Paths in `working`, in the order of their names. */
  taken: string[];
  /** Names of files that somebody is still writing. */
  unfinished: string[];
  /** Names of other files in the inbox, which do not match the pattern. */
  others: string[];
  /** Entries that are no files and so are never paid: folders, pipes and links, each with its kind. */
  ignored: string[];
  /** Files that match the pattern but cannot be taken. */
  stuck: Stuck[];
  /** Names of the other files in `working`. */
  remaining: string[];
}

/** A file that cannot be taken. */
export interface Stuck {
  /** Names the file and the reason. */
  part: SlotPart;
  /** Whether the reason may pass by itself. */
  mayPass: boolean;
}

/** The folder, and the slot that takes the files. */
interface InboxOptions {
  folder: string;
  pattern: string;
  stamp: string;
  /** Names of the files that the slot has taken before. */
  known: ReadonlySet<string>;
  /**
   * Whether the inbox was used before. Then a missing inbox is not created, because its disk or share may not be
   * mounted.
   */
  isUsed: boolean;
}

/** Reasons that never pass: the file's name, or an inbox on another disk than `working`. */
const lasting: readonly string[] = ['ENAMETOOLONG', 'EINVAL', 'EILSEQ', 'EXDEV'];

/** Stands in a name for bytes that are not UTF-8. A file cannot be opened under such a name. */
const unreadable = '\uFFFD';

/**
 * The files name people and are paid as they are. So only the owner and the group of the folder may read them, and only
 * the owner may add any.
 */
const sharedFolderMode = 0o750;

/** How often an inbox is read in a row: a file that vanished in the meantime may be there under another name. */
const looksMax = 3;

/**
 * Moves the complete files of an inbox to `working` and puts `stamp` (the slot) before their names, so that the slot
 * finds them after a crash. A file that is still being written stays where it is. `requireSlot` rejects if another
 * process has the slot by now: then nobody would look for a file with its stamp. Throws `FILE_UNREADABLE` if the folder
 * cannot be used; the slot finds the files moved before that by the stamp.
 */
export async function takeFromInbox(
  deps: { clock: Clock },
  options: InboxOptions,
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

/** Turns a disk's or share's error about a folder into `FILE_UNREADABLE`; returns any other error as it is. */
export function asFolderTrouble(folder: string, error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error)) return error;
  const { code, path } = error as NodeJS.ErrnoException;
  const why = code !== 'ENOENT' ? 'error' : path === folder ? 'gone' : 'inbox';
  const said = { gone: 'it is gone', inbox: 'its "inbox" no longer exists', error: errorMessage(error) }[why];
  return new AirbatchError('FILE_UNREADABLE', `the folder ${folder} cannot be used: ${said}`, {
    reason: slotReason('SLOT_FOLDER', { folder, why, error: errorMessage(error) }),
    cause: error,
  });
}

async function take(
  { clock }: { clock: Clock },
  { folder, pattern, stamp, known }: InboxOptions,
  requireSlot: () => Promise<void>,
): Promise<Brought> {
  const wanted = globExpression(pattern);
  const inbox = join(folder, 'inbox');
  let unfinished: string[] = [];
  let others: string[] = [];
  let ignored: string[] = [];
  // A file that cannot be taken does not keep the others from being paid.
  const stuck = new Map<string, Stuck>();
  for (let look = 1, hasVanished = true; hasVanished && look <= looksMax; look++) {
    const entries = await readdir(inbox, { withFileTypes: true });
    for (const entry of entries)
      if (entry.isSymbolicLink() && wanted.test(entry.name))
        stuck.set(entry.name, stuckFile(entry.name, 'link', 'it is a link: put the file itself there'));
    const all = entries
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .sort();
    const isNameless = (name: string) => name.includes(unreadable) && !existsSync(join(inbox, name));
    const names: string[] = [];
    for (const name of all.filter((one) => wanted.test(one)))
      if (isNameless(name)) stuck.set(name, stuckFile(name, 'name', 'its name is not UTF-8: give it another'));
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
        stuck.set(name, stuckFile(name, 'error', errorMessage(error).replace(/, rename .*$/s, ''), mayPass));
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
    stuck: [...stuck.values()],
  };
}

function stuckFile(file: string, why: 'link' | 'name' | 'error', said: string, mayPass = false): Stuck {
  const error = why === 'error' ? said : '';
  return { part: slotPart('SLOT_NOT_TAKEN', { file, why, error }, `${file} cannot be imported: ${said}`), mayPass };
}

function kindOf(entry: Dirent): string {
  if (entry.isDirectory()) return 'a folder';
  if (entry.isSymbolicLink()) return 'a link';
  return entry.isFIFO() ? 'a pipe' : 'a device or socket';
}

/**
 * A second file of the same name in one slot is another file. It must not overwrite the first, or be mistaken for it.
 */
function freePlace(folder: string, stamp: string, name: string, known: ReadonlySet<string>): string {
  const place = (own: string) => join(folder, 'working', `${stamp}~${own}`);
  let own = name;
  for (let count = 2; known.has(own) || existsSync(place(own)); count++) own = `${count}.${name}`;
  return place(own);
}

/** The name that a file had in the inbox. If it is the second of the same name, its number stands before it. */
export function originalName(workingPath: string): string {
  return basename(workingPath).replace(/^[^~]*~/, '');
}

/**
 * A folder's pattern as a regular expression: "*" stands for any characters, any other character for itself. Case is
 * ignored.
 */
function globExpression(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'is');
}
