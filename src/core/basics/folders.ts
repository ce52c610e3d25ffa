import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The permissions of reports and logs: only their owner may read them, or also its group (`readableByGroup`). */
export const privateModes = { folder: 0o700, file: 0o600 };
export const groupModes = { folder: 0o750, file: 0o640 };

/**
 * Makes a folder, and the missing folders above it, all with `mode` (default: only the owner has access), whatever the
 * umask. Node's own `recursive` option loops for ever on a file system such as /proc, which reports that the folder
 * above is missing when it cannot make one. Throws the file system's error.
 */
export function makeFolders(path: string, mode = 0o700): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path) makeFolders(above, mode);
  try {
    mkdirSync(path, mode);
    // The umask may have removed permissions. A setgid folder keeps its setgid bit.
    const made = statSync(path).mode & 0o7777;
    if ((made & mode) !== mode) chmodSync(path, made | mode);
  } catch (error) {
    // Another process was first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Makes the names of a folder's files durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}
