import { chmod, chown, stat } from 'node:fs/promises';

/**
 * Gives a file next to the ledger the ledger's owner and permissions, as SQLite does with its own files. Otherwise a
 * second person, or an administrator, who works on the ledger once would lock out the program that pays unattended.
 */
export async function shareAsLedger(path: string, ledgerPath: string): Promise<void> {
  const ledger = await stat(ledgerPath).catch(() => null);
  if (ledger === null) return;
  await chmod(path, ledger.mode & 0o666);
  // Only root may change a file's owner.
  if (process.geteuid?.() === 0) await chown(path, ledger.uid, ledger.gid);
}
