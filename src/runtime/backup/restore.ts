import { existsSync } from 'node:fs';
import { link, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AirbatchError } from '../../core/basics/errors.ts';
import { digestOfFile } from '../../core/basics/file-digest.ts';
import { makeFolders, syncFolder } from '../../core/basics/folders.ts';
import { noteLedgerRestored, raiseFences } from '../../engine/runner/ledger-mark.ts';
import { changeAccess } from '../../ledger/access/access-events.ts';
import { pruneSessions } from '../../ledger/access/user-sessions.ts';
import { openLedger } from '../session/ledger.ts';
import { readAllMarks } from '../session/ledger-mark-file.ts';
import type { Session } from '../session/session.ts';
import { partialName, removePartial } from './folders.ts';
import { ledgerName, type Manifest } from './manifest.ts';
import { openBackup, unpackBackup } from './read-backup.ts';

export interface Restored {
  manifest: Manifest;
  /** The paths of the files that were restored, the ledger first. */
  files: string[];
}

/**
 * Restores the backup in `dir` to the ledger's own path. Nothing is overwritten (`LEDGER_EXISTS`). The ledger appears
 * last and is marked as restored before: no program can pay from it without looking every row up first.
 */
export async function restoreBackup(
  session: Session,
  { dir, passphrase }: { dir: string; passphrase: () => string },
): Promise<Restored> {
  const { ledgerPath, random, clock } = session;
  const backup = await openBackup(dir, passphrase);
  const folder = dirname(ledgerPath);
  makeFolders(folder);
  for (const path of [ledgerPath, `${ledgerPath}-wal`]) if (existsSync(path)) throw exists(path);
  await removePartial(folder, clock.now());
  const partial = join(folder, partialName(random));
  await mkdir(partial, { mode: 0o700 });
  try {
    const names = await unpackBackup(dir, backup, partial);
    await markRestored(session, join(partial, ledgerName), backup.manifest);
    const others = names.filter((name) => name !== ledgerName).map((name) => ({ name, path: join(folder, name) }));
    for (const { name, path } of others) await requireSameOrMissing(join(partial, name), path);
    for (const { name, path } of others) if (!existsSync(path)) await place(join(partial, name), path);
    // A program that was started meanwhile may have made a new ledger.
    await place(join(partial, ledgerName), ledgerPath);
    await syncFolder(folder);
    return { manifest: backup.manifest, files: [ledgerPath, ...others.map(({ path }) => path)] };
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/**
 * Does what `--restored` does, and raises the fences above the marks next to the ledger, so that this ledger is the
 * newest one from now on. Leases and sessions of the backup's time end.
 */
async function markRestored(session: Session, path: string, { created_at }: Manifest): Promise<void> {
  const marks = await readAllMarks(session.ledgerPath);
  const db = await openLedger(path);
  try {
    await changeAccess({ ...session, db }, async ({ tx, at, note }) => {
      await raiseFences(tx, marks);
      await noteLedgerRestored(tx, at);
      await pruneSessions(tx, at + 1);
      await note('ledger.restore', { backup_of: created_at });
    });
  } finally {
    await db.close();
  }
}

async function requireSameOrMissing(made: string, path: string): Promise<void> {
  if (existsSync(path) && (await digestOfFile(path)).sha256 !== (await digestOfFile(made)).sha256) throw exists(path);
}

/** Throws `LEDGER_EXISTS` if there is such a file. */
async function place(made: string, path: string): Promise<void> {
  makeFolders(dirname(path));
  await link(made, path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? exists(path) : error;
  });
}

function exists(path: string): AirbatchError {
  return new AirbatchError('LEDGER_EXISTS', `${path} exists, and nothing is overwritten`);
}
