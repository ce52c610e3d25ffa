import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import type { Manifest } from '../../runtime/backup/manifest.ts';
import type { Session } from '../../runtime/session/session.ts';
import { passphraseFault } from '../../runtime/settings/backup-config.ts';

/** The variable with the passphrase, if the configuration names none. */
const passphraseVariable = 'AIRBATCH_BACKUP_PASSPHRASE';

/** What a backup is, as every operation shows it. */
export const backupFields = {
  /** The folder of this backup. */
  backup: z.string(),
  created_at: z.iso.datetime(),
  encrypted: z.boolean(),
  files: z.int(),
  bytes: z.int(),
};

export function shownBackup(backup: string, { created_at, encryption, files }: Manifest) {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return { backup, created_at, encrypted: encryption !== null, files: files.length, bytes };
}

/** Throws `USAGE` for a ledger on PostgreSQL, which has backups of its own. */
export function requireFile({ ledgerUrl }: Pick<Session, 'ledgerUrl'>): void {
  if (ledgerUrl === null) return;
  throw new AirbatchError('USAGE', 'the ledger is on PostgreSQL, which makes and restores its own backups', {
    hint: 'Use pg_basebackup with an archive of the log, or pg_dump, and copy the folder of the keys.',
  });
}

/** The passphrase of backups. Throws `CONFIG_INVALID` if there is none. */
export function passphraseOf({ config }: Pick<Session, 'config'>): string {
  const named = config.backup?.passphrase;
  return (named ?? config.secretOf('the passphrase of backups', passphraseVariable, passphraseFault)).value;
}
