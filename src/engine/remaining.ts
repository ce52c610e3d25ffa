import { isTerminal } from '../core/row-state.ts';
import { type BatchRecord, countRows } from '../ledger/batches.ts';
import type { Queryable } from '../ledger/database.ts';
import { nextDueAt } from '../ledger/rows.ts';

/**
 * Whether a runner moves the open batch on within `patienceMs`, with nobody doing anything: one whose rows have all ended, it
 * completes. Rows that are held, wait for a person, or are ready in a batch that is neither approved nor running, do not move; nor does
 * any of a batch whose account is at another service.
 */
export async function movesByItself(
  db: Queryable,
  batch: BatchRecord,
  now: number,
  patienceMs: number,
): Promise<boolean> {
  if (batch.pause_reason === 'service_changed') return false;
  const counts = await countRows(db, batch.batch_id);
  if (allTerminal(counts)) return true;
  if (counts.has('accepted') || counts.has('sending')) return true;
  if (counts.has('ready') && (batch.status === 'running' || batch.status === 'approved')) return true;
  const doubtAt = await nextDueAt(db, batch.batch_id, 'in_doubt');
  return doubtAt !== null && doubtAt - now <= patienceMs;
}

/** Whether every row of a batch has ended, by its counts. */
export function allTerminal(counts: ReadonlyMap<string, number>): boolean {
  return [...counts.keys()].every(isTerminal);
}
