import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The rights of reports and logs: their owner alone may read them, or its group as well (`readableByGroup`). */
export const privateModes = { folder: 0o700, file: 0o600 };
export const groupModes = { folder: 0o750, file: 0o640 };

/**
 * Makes a folder that a person names, and those above it that are missing, all with `mode`: for their owner alone,
 * whatever the umask is, where nothing else is asked for. Node's own way (`recursive`) tries for ever where a file
 * system that cannot make a folder says that the one above it is not there, as /proc does. Throws what the file system
 * says.
 */
export function makeFolders(path: string, mode = 0o700): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path) makeFolders(above, mode);
  try {
    mkdirSync(path, mode);
    // The umask may have taken rights away. A folder that hands its group on (setgid) goes on doing so.
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
