import { resolve } from 'node:path';
import { z } from 'zod';
import type { Secret, SecretOf } from '../../notify/recipients.ts';

/** Where backups go. With a passphrase, they are encrypted. */
export const backupShape = z.strictObject({
  folder: z.string().min(1),
  /** How many are kept. */
  keep: z.number().int().positive().default(14),
  passphraseEnv: z.string().min(1).optional(),
});

export interface BackupConfig {
  /** Absolute. */
  folder: string;
  keep: number;
  passphrase: Secret | null;
}

/** A backup may lie for years where others can guess as long as they like. */
const passphraseLengthMin = 12;

export function passphraseFault(passphrase: string): string | null {
  return passphrase.length < passphraseLengthMin ? `has fewer than ${passphraseLengthMin} characters` : null;
}

export function resolveBackup(
  { folder, keep, passphraseEnv }: z.output<typeof backupShape>,
  { base, secret }: { base: string; secret: SecretOf },
): BackupConfig {
  const passphrase = passphraseEnv ? secret('backup.passphraseEnv', passphraseEnv, passphraseFault) : null;
  return { folder: resolve(base, folder), keep, passphrase };
}
