import { randomUUID } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolders } from './folders.ts';
import { unlessGone } from './unless-gone.ts';

/** The text of a file; null if there is none. */
export function textOrNull(path: string): Promise<string | null> {
  return unlessGone(readFile(path, 'utf8'));
}

/**
 * Makes a file that only its owner may read, and returns its text. If two processes make it at the same time, the first
 * file stays, and nobody reads a part of it. `share`: changes its permissions before others can see it.
 */
export async function makeFirstFile(
  path: string,
  content: string | Buffer,
  share: (made: string) => Promise<void> = async () => undefined,
): Promise<string> {
  const making = `${path}.${randomUUID()}`;
  makeFolders(dirname(path));
  const file = await open(making, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await share(making);
    await link(making, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(making);
  }
  return readFile(path, 'utf8');
}
