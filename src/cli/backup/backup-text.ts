import type { z } from 'zod';
import type { auditLedger } from '../../operations/audit/audit-ledger.ts';
import { counted } from '../../reports/text/counted-text.ts';

/** A backup in a few words: "3 files, 1.2 MB, encrypted, of 2026-11-20T09:30:00.000Z". */
export function backupText(backup: { created_at: string; encrypted: boolean; files: number; bytes: number }): string {
  const size = `${(backup.bytes / 1e6).toFixed(1)} MB`;
  return `${counted(backup.files, 'file')}, ${size}, ${backup.encrypted ? '' : 'not '}encrypted, of ${backup.created_at}`;
}

/** What an audit of a whole ledger has found wrong, a line each; empty if nothing is wrong. */
export function auditFaults({ chain, rows, access }: z.output<typeof auditLedger.result>): string[] {
  return [
    ...[...chain.broken, ...rows.edited].map(({ batch_id, why }) => `! batch ${batch_id}: ${why}`),
    ...(access?.broken ? [`! the chain of access events: ${access.broken}`] : []),
  ];
}

/** What a backup does not have, a line each. */
export function leftOutText(left: readonly { name: string; why: string }[]): string[] {
  return left.map(({ name, why }) => `Not in it  ${name}: ${why}`);
}
