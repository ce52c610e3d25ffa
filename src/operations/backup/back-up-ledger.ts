import { statSync } from 'node:fs';
import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { removeOldBackups } from '../../runtime/backup/folders.ts';
import { writeBackup } from '../../runtime/backup/write-backup.ts';
import type { Session } from '../../runtime/session/session.ts';
import { folder } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { backupFields, passphraseOf, requireFile, shownBackup } from './backup-fields.ts';

const result = z.strictObject({
  ...backupFields,
  /** What it does not have, and why. */
  left_out: z.array(z.strictObject({ name: z.string(), why: z.string() })),
  /** Whether it is on the same disk as the ledger, with which it would be lost. */
  on_same_disk: z.boolean(),
  /** The folders of older backups that were removed. */
  removed: z.array(z.string()),
});

/** Makes a backup of the ledger with its keys and configuration. Programs may pay meanwhile. */
export const backUpLedger = defineOperation({
  name: 'back-up-ledger',
  role: 'admin',
  ledger: 'change',
  input: z.strictObject({
    /** If it is left out: the configured folder. */
    target: folder.optional(),
    /** Backups to a folder that is configured with a passphrase are encrypted in any case. */
    encrypt: z.boolean().default(false),
    /** How many backups of this ledger are kept. If it is left out: the configured number, or all. */
    keep: z.int().positive().optional(),
  }),
  result,
  run: ({ session }, input) => backUp(session, input),
});

/** Makes the backup, and removes old ones once it is durable. */
export async function backUp(
  session: Session,
  given: { target?: string | undefined; encrypt: boolean; keep?: number | undefined },
): Promise<z.output<typeof result>> {
  requireFile(session);
  const { config, ledgerPath } = session;
  const target = targetOf(session, given.target);
  const isEncrypted = given.encrypt || config.backup?.passphrase != null;
  const passphrase = isEncrypted ? passphraseOf(session) : null;
  const { dir, manifest } = await writeBackup(session, { target, passphrase });
  const keep = given.keep ?? (given.target === undefined ? config.backup?.keep : undefined);
  return {
    ...shownBackup(dir, manifest),
    left_out: manifest.left_out,
    on_same_disk: statSync(dir).dev === statSync(ledgerPath).dev,
    removed: keep === undefined ? [] : await removeOldBackups(target, ledgerPath, keep),
  };
}

/** The folder of the backups: the named one, else the configured one. */
export function targetOf({ config }: Pick<Session, 'config'>, named: string | undefined): string {
  const target = named ?? config.backup?.folder;
  if (target !== undefined) return target;
  throw new AirbatchError('USAGE', 'no folder for backups is named', {
    hint: 'Name one, or set "backup" in the configuration.',
  });
}
