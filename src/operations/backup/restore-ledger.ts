import { z } from 'zod';
import { restoreBackup } from '../../runtime/backup/restore.ts';
import { folder } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { backupFields, passphraseOf, requireFile, shownBackup } from './backup-fields.ts';

/** Restores a backup where the ledger was. Every row is then looked up at the service before it is sent. */
export const restoreLedger = defineOperation({
  name: 'restore-ledger',
  role: 'admin',
  // The ledger is missing.
  ledger: 'none',
  input: z.strictObject({
    /** The folder of one backup. */
    backup: folder,
  }),
  result: z.strictObject({
    ...backupFields,
    ledger: z.string(),
    /** The paths of the files that were restored. */
    restored: z.array(z.string()),
    left_out: z.array(z.strictObject({ name: z.string(), why: z.string() })),
  }),
  async run({ session }, { backup }) {
    requireFile(session);
    const { manifest, files } = await restoreBackup(session, { dir: backup, passphrase: () => passphraseOf(session) });
    return {
      ...shownBackup(backup, manifest),
      ledger: session.ledgerPath,
      restored: files,
      left_out: manifest.left_out,
    };
  },
});
