import { storedPolicy } from '../core/batch-policy.ts';
import { isTerminal, sentAmong } from '../core/row-state.ts';
import { type BatchRecord, countRows } from '../ledger/batches.ts';
import type { Queryable } from '../ledger/database.ts';
import { hasPromised, nextDueAt } from '../ledger/rows.ts';

/**
 * Whether a runner moves the open batch on within `patienceMs`, with nobody doing anything: one whose rows have all ended, it
 * completes. Rows that the service has for longer than it promises are asked for as long as somebody stays, and are waited for by nobody
 * who does not. Rows that are held, wait for a person, or are ready in a batch that is neither approved nor running, do not move; nor do
 * those that wait for the first rows, one of which waits for a person, nor any of a batch whose account is at another service.
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
  if (counts.has('sending')) return true;
  if (counts.has('accepted') && (await movesOn(db, batch, now, patienceMs))) return true;
  const maySend = batch.status === 'running' || batch.status === 'approved';
  if (maySend && counts.has('ready') && !(counts.has('in_doubt') && waitsForFirstRows(batch, counts))) return true;
  const doubtAt = await nextDueAt(db, batch.batch_id, 'in_doubt');
  return doubtAt !== null && doubtAt - now <= patienceMs;
}

/** Whether an accepted row is to end soon, or is about to be asked for: one that is overdue moves only where somebody waits for ever. */
async function movesOn(db: Queryable, { batch_id }: BatchRecord, now: number, patienceMs: number): Promise<boolean> {
  if (patienceMs === Number.POSITIVE_INFINITY || (await hasPromised(db, batch_id))) return true;
  const dueAt = await nextDueAt(db, batch_id, 'accepted');
  return dueAt !== null && dueAt <= now;
}

/** Whether all rows of a batch were sent that go alone at first, and were not judged yet: the others wait until they have ended. */
export function waitsForFirstRows(
  { policy, canary_at }: Pick<BatchRecord, 'policy' | 'canary_at'>,
  counts: ReadonlyMap<string, number>,
): boolean {
  const { canary } = storedPolicy(policy);
  if (canary === null || canary_at !== null) return false;
  return sentAmong(counts) >= canary.rows;
}

/** Whether every row of a batch has ended, by its counts. */
export function allTerminal(counts: ReadonlyMap<string, number>): boolean {
  return [...counts.keys()].every(isTerminal);
}
