import { chmod, chown, stat } from 'node:fs/promises';

/**
 * Lets a file that was made beside the ledger be used by whoever may use the ledger, as SQLite does with its own: a
 * second person, or an administrator, who works on the ledger for once must not shut out the program that pays
 * unattended.
 */
export async function shareAsLedger(path: string, ledgerPath: string): Promise<void> {
  const ledger = await stat(ledgerPath).catch(() => null);
  if (ledger === null) return;
  await chmod(path, ledger.mode & 0o666);
  // Nobody else may give a file away.
  if (process.geteuid?.() === 0) await chown(path, ledger.uid, ledger.gid);
}
