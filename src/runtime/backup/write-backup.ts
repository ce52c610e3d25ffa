import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import { digestOfFile } from '../../core/basics/file-digest.ts';
import { makeFolders, syncFolder } from '../../core/basics/folders.ts';
import { unlessGone } from '../../core/basics/unless-gone.ts';
import { isoTime } from '../../core/time/clock.ts';
import { copySqlite } from '../../ledger/drivers/sqlite/sqlite-backup.ts';
import type { Session } from '../session/session.ts';
import { program } from '../settings/version.ts';
import { filesToBackUp, leftOut } from './contents.ts';
import { backupName, partialName, removePartial } from './folders.ts';
import { type BackupFile, coveredText, ledgerName, type Manifest, manifestName } from './manifest.ts';
import { type BackupKeys, copyPrivately, deriveKeys, macOf, sealFile } from './seal-file.ts';

/** Bytes of the salt of a passphrase. */
const saltBytes = 16;

export interface Backup {
  /** The folder of this backup. */
  dir: string;
  manifest: Manifest;
}

/**
 * Makes a backup in a new folder of `target`, encrypted if a passphrase is given. It appears complete or not at all.
 * Programs may work on the ledger meanwhile. Throws `FOLDER_UNWRITABLE`, or the error of the ledger.
 */
export async function writeBackup(
  session: Session,
  { target, passphrase }: { target: string; passphrase: string | null },
): Promise<Backup> {
  const { random, clock } = session;
  const dir = join(target, backupName(clock.now()));
  const partial = join(target, partialName(random));
  try {
    makeFolders(target);
    await removePartial(target, clock.now());
    await mkdir(partial, { mode: 0o700 });
    const manifest = await fill(session, partial, passphrase);
    await syncFolder(partial);
    await rename(partial, dir);
    await syncFolder(target);
    return { dir, manifest };
  } catch (error) {
    await rm(partial, { recursive: true, force: true }).catch(() => undefined);
    if (error instanceof AirbatchError) throw error;
    throw new AirbatchError('FOLDER_UNWRITABLE', `the backup in ${target} cannot be written: ${errorMessage(error)}`, {
      hint: 'Make room, or make the folder writable, then try again. The ledger is unchanged.',
      cause: error,
    });
  }
}

async function fill(session: Session, dir: string, passphrase: string | null): Promise<Manifest> {
  const { random, clock, ledgerPath } = session;
  const isEncrypted = passphrase !== null;
  const salt = random.hex(saltBytes);
  const keys = isEncrypted ? await deriveKeys(passphrase, salt) : null;
  const created_at = isoTime(clock.now());
  const files: BackupFile[] = [];
  const store = async (name: string, write: (to: string) => Promise<void>) => {
    const to = join(dir, name);
    makeFolders(dirname(to));
    await write(to);
    files.push({ name, ...(await digestOfFile(to)) });
  };
  // The ledger first: each draft and file that it names is then there to be copied.
  await store(ledgerName, (to) => (keys ? sealLedger(session, keys, to) : copySqlite(ledgerPath, to)));
  const copy = (path: string, name: string) => (to: string) =>
    keys ? sealFile(keys, { from: path, to, name }, random) : copyPrivately(path, to);
  // A draft may be discarded meanwhile.
  for (const { path, name } of await filesToBackUp(session, isEncrypted))
    await unlessGone(store(name, copy(path, name)));
  const manifest: Manifest = {
    ...{ format: 1, program, created_at, host: hostname(), ledger: ledgerPath },
    encryption: keys && { cipher: 'aes-256-gcm', kdf: 'scrypt', salt, mac: '' },
    files,
    left_out: leftOut(session, isEncrypted),
  };
  if (keys && manifest.encryption) manifest.encryption.mac = macOf(keys, coveredText(manifest));
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  await writeFile(join(dir, manifestName), text, { mode: 0o600, flush: true });
  return manifest;
}

/** The unencrypted copy never leaves the folder of the ledger. */
async function sealLedger({ ledgerPath, random, clock }: Session, keys: BackupKeys, to: string): Promise<void> {
  const folder = dirname(ledgerPath);
  await removePartial(folder, clock.now());
  const copy = join(folder, partialName(random));
  try {
    await copySqlite(ledgerPath, copy);
    await sealFile(keys, { from: copy, to, name: ledgerName }, random);
  } finally {
    await rm(copy, { force: true });
  }
}
