import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { isoOrNull } from '../../core/time/clock.ts';
import { newestEventAt } from '../../ledger/audit/audit-pages.ts';
import { backupsIn } from '../../runtime/backup/folders.ts';
import { ledgerName } from '../../runtime/backup/manifest.ts';
import { openBackup, unpackBackup } from '../../runtime/backup/read-backup.ts';
import { openLedger } from '../../runtime/session/ledger.ts';
import type { Session } from '../../runtime/session/session.ts';
import { auditLedger } from '../audit/audit-ledger.ts';
import { folder } from '../base/fields.ts';
import { type Door, defineOperation, performIn } from '../base/operation.ts';
import { targetOf } from './back-up-ledger.ts';
import { backupFields, passphraseOf, shownBackup } from './backup-fields.ts';

const result = z.strictObject({
  ...backupFields,
  /** When the newest event of the ledger in it happened; null: nothing has happened in it. */
  newest_event_at: z.iso.datetime().nullable(),
  /** How long ago that is: what a restore would lose. */
  newest_event_age_ms: z.int().nullable(),
  /** Its audit, as `audit-ledger` does it, but without the heads that are anchored outside: these may be newer. */
  audit: auditLedger.result,
  /** Whether it can be relied on: all chains are whole, and rows and payments agree with them. */
  is_good: z.boolean(),
});

/** Restores the newest backup of a folder into a temporary folder, and audits the ledger in it. */
export const drillBackup = defineOperation({
  name: 'drill-backup',
  role: 'admin',
  ledger: 'none',
  input: z.strictObject({
    /** If it is left out: the configured folder. */
    target: folder.optional(),
  }),
  result,
  run: ({ session, ...door }, { target }) => drill(session, door, targetOf(session, target)),
});

export async function drill(session: Session, door: Door, target: string): Promise<z.output<typeof result>> {
  const [newest] = await backupsIn(target);
  if (newest === undefined)
    throw new AirbatchError('BACKUP_UNUSABLE', `there is no complete backup in ${target}`, {
      hint: 'Make a backup there first, or name the folder that has one.',
    });
  const backup = await openBackup(newest.dir, () => passphraseOf(session));
  const temporary = await mkdtemp(join(tmpdir(), 'airbatch-drill-'));
  try {
    await unpackBackup(newest.dir, backup, temporary);
    const ledgerPath = join(temporary, ledgerName);
    const db = await openLedger(ledgerPath);
    try {
      const config = { ...session.config, anchors: [] };
      const newest_event_at = await newestEventAt(db);
      const audit = await performIn({ ...session, config, db, ledgerPath, ledgerUrl: null }, auditLedger, door, {});
      return {
        ...shownBackup(newest.dir, newest.manifest),
        newest_event_at: isoOrNull(newest_event_at),
        newest_event_age_ms: newest_event_at === null ? null : session.clock.now() - newest_event_at,
        audit,
        is_good: audit.is_good,
      };
    } finally {
      await db.close();
    }
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
