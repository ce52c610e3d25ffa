import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { LedgerMark } from '../engine/ledger-mark.ts';

const holdShape = z.object({ fence: z.number().int(), expiresAt: z.number() });

/**
 * Marks beside the ledger, a small file an account. A backup of the ledger alone does not contain them: so a ledger that was
 * restored is told from the one that was last worked on.
 */
export function makeLedgerMark(ledgerPath: string): LedgerMark {
  const path = (account: string) => `${ledgerPath}.${account}.mark`;
  return {
    async read(account) {
      const text = await readFile(path(account), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null;
        throw error;
      });
      if (text === null) return null;
      try {
        return holdShape.parse(JSON.parse(text));
      } catch {
        // Cut short by a crash of the machine: it says nothing.
        return null;
      }
    },
    async write(account, hold) {
      const fresh = `${path(account)}.new`;
      await writeFile(fresh, JSON.stringify(hold), { mode: 0o600 });
      await rename(fresh, path(account));
    },
  };
}
