import { statSync } from 'node:fs';
import { AirbatchError } from '../../core/basics/errors.ts';

/** Throws `LEDGER_REPLACED` where the file that was opened is no longer the one at its path. */
export type AssertInPlace = () => void;

/**
 * A file that was moved, removed or replaced can still be written to through its open handle: what is written then is
 * lost, and whoever opens the path pays from another ledger. So device and inode are compared. `path` as it was given:
 * a link may lead elsewhere by now.
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

/** Null where nothing is there. A folder that cannot be read for now says nothing. */
function identityOf(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}/${found.ino}`;
}
