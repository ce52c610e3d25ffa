import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessGone } from '../../core/basics/unless-gone.ts';
import type { Clock } from '../../core/time/clock.ts';

/** A file that was changed more recently than this may still be written to. */
const quietMs = 3_000;
/** How long the sizes of files are watched. */
const watchMs = 500;

/** File name endings that programs use while they still write a file. */
const partialEnding = /\.(part|partial|tmp|temp|crdownload|download|filepart|swp|lock)$/i;
/** Hidden files, locks of spreadsheets, and an editor's backup files. */
const leftOver = /^[.~]|~$/;

/** Whether no program will ever finish the file. airbatch neither takes it nor waits for it. */
export function isLeftOver(name: string): boolean {
  return leftOver.test(name);
}

/**
 * Sorts the files of a folder into complete files and files that are still being written: their size or time changes,
 * their lock or download lies next to them, or their name shows it. A file in neither list has vanished. All files are
 * watched together.
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
  // A time in the future proves nothing, because another machine's clock has set it. Such a file is watched for the
  // whole quiet time.
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

/**
 * Finds out from the other files of a folder whether a file is in use: by a spreadsheet's lock (`~$name`,
 * `.~lock.name#`), by `name.lock`, or by its download. While Firefox writes `x.csv.part` or `x.AbCd1234.csv.part`, it
 * reserves the name with an empty file.
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
