import { counted } from '../../reports/text/counted-text.ts';

/** A backup in a few words: "3 files, 1.2 MB, encrypted, of 2026-11-20T09:30:00.000Z". */
export function backupText(backup: { created_at: string; encrypted: boolean; files: number; bytes: number }): string {
  const size = `${(backup.bytes / 1e6).toFixed(1)} MB`;
  return `${counted(backup.files, 'file')}, ${size}, ${backup.encrypted ? '' : 'not '}encrypted, of ${backup.created_at}`;
}

/** What a backup does not have, a line each. */
export function leftOutText(left: readonly { name: string; why: string }[]): string[] {
  return left.map(({ name, why }) => `Not in it  ${name}: ${why}`);
}
