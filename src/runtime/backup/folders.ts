import { readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import type { Random } from '../../core/basics/random.ts';
import { dayMs, isoTime } from '../../core/time/clock.ts';
import { type Manifest, readManifest } from './manifest.ts';

const namePattern = /^airbatch-\d{8}T\d{9}Z$/;
const partialPattern = /^\.airbatch-[0-9a-f]+\.partial$/;

/** "airbatch-20261126T073500123Z": names of backups sort by time. */
export function backupName(at: number): string {
  return `airbatch-${isoTime(at).replace(/[-:.]/g, '')}`;
}

/** The name of something that is being written. */
export function partialName(random: Random): string {
  return `.airbatch-${random.hex(8)}.partial`;
}

/** Removes what killed programs left: no backup takes a day. */
export async function removePartial(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!partialPattern.test(name)) continue;
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (found && now - found.mtimeMs > dayMs) await rm(path, { recursive: true, force: true });
  }
}

/** The folders of backups, the newest first. Throws `BACKUP_UNUSABLE` if `target` cannot be read. */
async function backupFolders(target: string): Promise<string[]> {
  const all = await readdir(target).catch((error: unknown) => {
    throw new AirbatchError('BACKUP_UNUSABLE', `${target} cannot be read: ${errorMessage(error)}`, { cause: error });
  });
  const names = all.filter((name) => namePattern.test(name)).toSorted();
  return names.toReversed().map((name) => join(target, name));
}

/**
 * The complete backups in a folder, the newest first. An unreadable one is not among them. Throws `BACKUP_UNUSABLE` if
 * the folder itself cannot be read.
 */
export async function backupsIn(target: string): Promise<{ dir: string; manifest: Manifest }[]> {
  const found: { dir: string; manifest: Manifest }[] = [];
  for (const dir of await backupFolders(target)) {
    const manifest = await readManifest(dir).catch(() => null);
    if (manifest) found.push({ dir, manifest });
  }
  return found;
}

/** Whether it is a backup of this ledger: others may share the folder. */
function isOwn({ ledger, host }: Manifest, ledgerPath: string): boolean {
  return ledger === ledgerPath && host === hostname();
}

/**
 * The newest backup of this ledger, and whether all its files are there in full length; null if there is none or the
 * folder cannot be read. Reads no more than it must: a monitoring system asks every few seconds.
 */
export async function newestBackup(
  target: string,
  ledgerPath: string,
): Promise<{ manifest: Manifest; isComplete: boolean } | null> {
  for (const dir of await backupFolders(target).catch(() => [])) {
    const manifest = await readManifest(dir).catch(() => null);
    if (manifest === null || !isOwn(manifest, ledgerPath)) continue;
    const sizes = await Promise.all(manifest.files.map(({ name }) => stat(join(dir, name)).catch(() => null)));
    return { manifest, isComplete: sizes.every((found, at) => found?.size === manifest.files[at]?.bytes) };
  }
  return null;
}

/**
 * Removes the oldest backups of this ledger until `keep` are left. Those of another ledger, of another machine, or with
 * another name stay. Returns their folders.
 */
export async function removeOldBackups(target: string, ledgerPath: string, keep: number): Promise<string[]> {
  const own = (await backupsIn(target)).filter(({ manifest }) => isOwn(manifest, ledgerPath));
  const old = own.slice(keep).map(({ dir }) => dir);
  for (const dir of old) await rm(dir, { recursive: true });
  return old;
}
