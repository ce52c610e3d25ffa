import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import type { LedgerMark } from '../../engine/runner/ledger-mark.ts';
import { shareAsLedger } from '../../ledger/drivers/sqlite/file-permissions.ts';

const holdShape = z.object({ fence: z.number().int(), expiresAt: z.number() });

/**
 * Marks next to the ledger, one small file for each account. A backup of the ledger alone does not contain them. So
 * airbatch can tell a restored ledger from the one that was last worked on. An unreadable or unwritable mark is an
 * error of the ledger (`LEDGER_FULL`, `LEDGER_IO`).
 */
export function makeLedgerMark(ledgerPath: string): LedgerMark {
  const path = (account: string) => `${ledgerPath}.${account}.mark`;
  return {
    async read(account) {
      const text = await readFile(path(account), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null;
        throw asLedgerError(path(account), error);
      });
      if (text === null) return null;
      try {
        return holdShape.parse(JSON.parse(text));
      } catch {
        // The mark is cut short, by a disk that did not write what it confirmed. It proves nothing.
        return null;
      }
    },
    async write(account, hold) {
      const fresh = `${path(account)}.new`;
      try {
        // A crash may have left a mark that belongs to another user and that only this user can open.
        await rm(fresh, { force: true });
        // The new mark is on the disk before it replaces the old one: an empty mark would let any backup pass.
        await writeFile(fresh, JSON.stringify(hold), { mode: 0o600, flush: true });
        await shareAsLedger(fresh, ledgerPath);
        await rename(fresh, path(account));
      } catch (error) {
        throw asLedgerError(path(account), error as NodeJS.ErrnoException);
      }
    },
  };
}

const fullCodes: readonly (string | undefined)[] = ['ENOSPC', 'EDQUOT'];
const shutCodes: readonly (string | undefined)[] = ['EACCES', 'EPERM'];

function asLedgerError(path: string, error: NodeJS.ErrnoException): AirbatchError {
  const code = fullCodes.includes(error.code) ? 'LEDGER_FULL' : 'LEDGER_IO';
  return new AirbatchError(code, `the mark of the ledger ${path}: ${errorMessage(error)}`, {
    cause: error,
    ...(shutCodes.includes(error.code)
      ? { hint: 'Check that you may read and write that file, the ledger and its folder: ask its owner.' }
      : {}),
  });
}
