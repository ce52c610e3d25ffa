import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../core/time/clock.ts';

/** A file that was changed this recently may still be written to. */
const quietMs = 3_000;
/** How long sizes are watched. */
const watchMs = 500;

/** Endings under which programs write what is not complete yet. */
const partialEnding = /\.(part|partial|tmp|temp|crdownload|download|filepart|swp|lock)$/i;
/** Hidden files, locks of spreadsheets, an editor's back-up. */
const leftOver = /^[.~]|~$/;

/** Whether no program will ever finish the file: it is neither taken nor waited for. */
export function isLeftOver(name: string): boolean {
  return leftOver.test(name);
}

/**
 * Which files of a folder are complete, and which somebody is still writing: their size or time moves, a lock or the
 * download of them lies beside them, or their name says so. What is in neither list has vanished. All are watched
 * together.
 */
export async function sortOut(
  clock: Clock,
  folder: string,
  names: readonly string[],
): Promise<{ complete: string[]; unfinished: string[] }> {
  const named = names.filter((name) => !partialEnding.test(name) && !leftOver.test(name));
  const look = async () =>
    new Map(await Promise.all(named.map(async (name) => [name, await unlessGone(stat(join(folder, name)))] as const)));
  const before = await look();
  const now = clock.now();
  // A time to come says nothing: whoever wrote the file has another clock. Such a file is watched for all of the quiet
  // time.
  const isAhead = (file: Stats) => file.mtimeMs > now;
  const isQuiet = (file: Stats) => file.mtimeMs <= now - quietMs || isAhead(file);
  const watched = [...before.values()].filter((file) => file !== null).filter(isQuiet);
  if (watched.length > 0) await clock.sleep(watched.some(isAhead) ? quietMs : watchMs);
  const after = await look();
  const isInUse = usedFiles((await unlessGone(readdir(folder))) ?? []);
  const complete: string[] = [];
  const unfinished: string[] = [];
  for (const name of names) {
    const [first, last] = [before.get(name), after.get(name)];
    if (last === null) continue;
    const isStill = first && last && isQuiet(first) && first.size === last.size && first.mtimeMs === last.mtimeMs;
    (isStill && !isInUse(name) ? complete : unfinished).push(name);
  }
  return { complete, unfinished };
}

/** What comes of a call for a file; null where the file is not there. */
export async function unlessGone<Result>(call: Promise<Result>): Promise<Result | null> {
  return call.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

/**
 * Tells by what else lies in a folder whether a file is in use: by the lock of a spreadsheet (`~$name`,
 * `.~lock.name#`), by `name.lock`, or by its download. Firefox keeps the name with an empty file while it writes
 * `x.csv.part` or `x.AbCd1234.csv.part`.
 */
function usedFiles(all: readonly string[]): (name: string) => boolean {
  const locks = new Set(all);
  const targets = new Set<string>();
  for (const name of all) {
    if (!partialEnding.test(name)) continue;
    const target = name.replace(partialEnding, '');
    targets.add(target).add(target.replace(/\.[\w-]+(?=\.[^.]*$)/, ''));
  }
  return (name) =>
    targets.has(name) || [`~$${name}`, `~$${name.slice(2)}`, `.~lock.${name}#`].some((lock) => locks.has(lock));
}
