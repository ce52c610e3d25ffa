import { dirname, join } from 'node:path';
import { AirbatchError } from '../../core/basics/errors.ts';
import { digestOfFile } from '../../core/basics/file-digest.ts';
import { makeFolders } from '../../core/basics/folders.ts';
import { coveredText, ledgerName, type Manifest, manifestName, readManifest, unusable } from './manifest.ts';
import { type BackupKeys, copyPrivately, deriveKeys, macOf, openFile } from './seal-file.ts';

/**
 * Reads a backup and checks that all its files are there and unchanged. `passphrase` is asked only for an encrypted
 * one. Throws `BACKUP_UNUSABLE`.
 */
export async function openBackup(
  dir: string,
  passphrase: () => string,
): Promise<{ manifest: Manifest; keys: BackupKeys | null }> {
  const manifest = await readManifest(dir);
  if (!manifest.files.some(({ name }) => name === ledgerName)) throw unusable(dir, `it has no ${ledgerName}`);
  for (const { name, bytes, sha256 } of manifest.files) {
    const found = await digestOfFile(join(dir, name)).catch((error: unknown) => {
      throw unusable(dir, `${name} cannot be read`, error);
    });
    if (found.bytes !== bytes || found.sha256 !== sha256) throw unusable(dir, `${name} was changed or cut short`);
  }
  const { encryption } = manifest;
  if (encryption === null) return { manifest, keys: null };
  const keys = await deriveKeys(passphrase(), encryption.salt);
  if (macOf(keys, coveredText(manifest)) === encryption.mac) return { manifest, keys };
  throw new AirbatchError(
    'BACKUP_UNUSABLE',
    `${dir} was encrypted with another passphrase, or ${manifestName} was changed`,
    {
      hint: 'Set the passphrase with which the backup was made.',
    },
  );
}

/** Copies the files of an opened backup to `to`, decrypted. Returns their names. */
export async function unpackBackup(
  dir: string,
  { manifest, keys }: { manifest: Manifest; keys: BackupKeys | null },
  to: string,
): Promise<string[]> {
  for (const { name } of manifest.files) {
    const place = { from: join(dir, name), to: join(to, name), name };
    makeFolders(dirname(place.to));
    const copying = keys ? openFile(keys, place) : copyPrivately(place.from, place.to);
    await copying.catch((error: unknown) => {
      const { syscall } = error as NodeJS.ErrnoException;
      if (syscall === undefined) throw unusable(dir, `${name} was changed`, error);
      throw new AirbatchError('FOLDER_UNWRITABLE', `${place.to} cannot be written`, {
        hint: 'Make room, or make the folder writable, then restore again. The backup is unchanged.',
        cause: error,
      });
    });
  }
  return manifest.files.map(({ name }) => name);
}
