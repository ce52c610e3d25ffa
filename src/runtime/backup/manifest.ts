import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';

/** The file of a backup that names all its other files. It is written last. */
export const manifestName = 'backup.json';

/** The name of the ledger in a backup, whatever its own name is. */
export const ledgerName = 'ledger.db';

const fileShape = z.strictObject({
  /** With "/" between folders; never leads out of the backup. */
  name: z.string().regex(/^(?!\/)(?!.*(?:^|\/)\.\.?(?:\/|$))[^\\\0]+$/),
  bytes: z.int(),
  /** SHA-256 (hex) of the file as it is in the backup. */
  sha256: z.string(),
});

const manifestShape = z.strictObject({
  format: z.literal(1),
  /** The program that made it: "airbatch 1.2.3". */
  program: z.string(),
  created_at: z.iso.datetime(),
  host: z.string(),
  /** The path of the ledger on that host. */
  ledger: z.string(),
  /** Null: the files are as they were. */
  encryption: z
    .strictObject({ cipher: z.literal('aes-256-gcm'), kdf: z.literal('scrypt'), salt: z.string(), mac: z.string() })
    .nullable(),
  files: z.array(fileShape),
  /** What a backup never has, or does not have without encryption. */
  left_out: z.array(z.strictObject({ name: z.string(), why: z.string() })),
});
export type Manifest = z.output<typeof manifestShape>;
export type BackupFile = z.output<typeof fileShape>;

/** What an authentication code covers: all of the manifest but the code. */
export function coveredText({ encryption, ...rest }: Manifest): string {
  return JSON.stringify({ ...rest, encryption: encryption && { ...encryption, mac: '' } });
}

/** Reads the manifest of the backup in `dir`. Throws `BACKUP_UNUSABLE`. */
export async function readManifest(dir: string): Promise<Manifest> {
  try {
    return manifestShape.parse(JSON.parse(await readFile(join(dir, manifestName), 'utf8')));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? `it has no ${manifestName}` : `${manifestName}: ${errorMessage(error)}`;
    throw unusable(dir, why, error);
  }
}

export function unusable(dir: string, why: string, cause?: unknown): AirbatchError {
  return new AirbatchError('BACKUP_UNUSABLE', `${dir} is not a complete backup: ${why}`, { cause });
}
