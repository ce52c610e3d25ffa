import { statSync } from 'node:fs';
import { AirbatchError } from '../../../core/basics/errors.ts';

/** Throws `LEDGER_REPLACED` if the opened file is no longer the file at its path. */
export type AssertInPlace = () => void;

/**
 * A file that was moved, removed or replaced can still be written through its open handle. Such writes are lost, and a
 * program that opens the path pays from another ledger. So device and inode are compared. `path` is the one that was
 * given: a link may point elsewhere by now.
 */
export function makeAssertInPlace(path: string): AssertInPlace {
  const opened = identityOf(path);
  return () => {
    const found = identityOf(path);
    if (found === opened) return;
    const what = found === null ? 'was moved or removed' : 'was replaced by another file';
    throw new AirbatchError('LEDGER_REPLACED', `the ledger ${path} ${what} while this program was using it`);
  };
}

/** Null if there is no file. A folder that cannot be read at the moment proves nothing. */
function identityOf(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}/${found.ino}`;
}
