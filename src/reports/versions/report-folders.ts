import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { readVersion, versionsFolder } from './versions.ts';

/** The files of one version of a batch's reports. */
export interface ReportFolder {
  /** A path, or an address in a bucket. */
  dir: string;
  /** The folder of an earlier version within that of the current one ("versions/1-as-of-2026-12-03"), or empty. */
  keptAs: string;
  /** Null before the batch had ended, or without a signature. */
  version: number | null;
  as_of: string | null;
  files: { name: string; bytes: number }[];
}

/** The reports in `dir`, and the earlier versions that are kept there, the newest first. */
export async function reportFolders(dir: string): Promise<ReportFolder[]> {
  const kept = await readdir(join(dir, versionsFolder)).catch(() => []);
  const folders = [dir, ...kept.map((name) => join(dir, versionsFolder, name))];
  const found = (await Promise.all(folders.map((one) => readFolder(one, relative(dir, one))))).filter(
    ({ files }) => files.length > 0,
  );
  return found.sort((a, b) => Number(b.dir === dir) - Number(a.dir === dir) || (b.version ?? 0) - (a.version ?? 0));
}

async function readFolder(dir: string, keptAs: string): Promise<ReportFolder> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name);
  const files = await Promise.all(
    names.sort().map(async (name) => ({ name, bytes: (await stat(join(dir, name)).catch(() => null))?.size ?? 0 })),
  );
  const version = await readVersion(dir);
  return { dir, keptAs, version: version?.version || null, as_of: version?.as_of ?? null, files };
}
