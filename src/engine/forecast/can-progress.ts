import { storedPolicy } from '../../core/state/batch-policy.ts';
import { sendingStates } from '../../core/state/batch-state.ts';
import { isTerminal, type RowState, sentAmong } from '../../core/state/row-state.ts';
import { maySendMore } from '../../core/state/situation.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { openPauses } from '../../ledger/batches/pauses.ts';
import { countRows } from '../../ledger/batches/row-counts.ts';
import type { Database, Queryable } from '../../ledger/drivers/database.ts';
import { hasPromised, nextDueAt, nextLookupAt } from '../../ledger/rows/in-flight-rows.ts';

/**
 * Whether a runner can make progress with the batch within `patienceMs`, without a person. A batch whose rows are all
 * terminal can be completed, which is progress. Overdue rows count as progress only for a runner with infinite
 * patience. These rows make no progress: held rows; rows that wait for a person; ready rows of a batch that is not
 * approved or running; rows behind the batch's first rows while one of these waits for a person; and rows of a batch
 * that was made for another service. A runner ends when nothing makes progress, so that answer is given only by one
 * snapshot: between two reads, the last row in doubt may be adopted, and then neither read shows it.
 */
export async function canProgress(db: Database, batch: BatchRecord, now: number, patienceMs: number): Promise<boolean> {
  return (
    (await seemsToProgress(db, batch, now, patienceMs)) ||
    db.snapshot((view) => seemsToProgress(view, batch, now, patienceMs))
  );
}

async function seemsToProgress(db: Queryable, batch: BatchRecord, now: number, patienceMs: number): Promise<boolean> {
  const pauses = batch.status === 'paused' ? await openPauses(db, batch) : [];
  if (pauses.some(({ reason }) => reason === 'service_changed')) return false;
  const counts = await countRows(db, batch.batch_id);
  if (allTerminal(counts)) return true;
  if (counts.has('sending')) return true;
  if (counts.has('accepted') && (await movesOn(db, batch, now, patienceMs))) return true;
  const rows = { to_send: counts.get('ready') ?? 0, in_doubt: counts.get('in_doubt') ?? 0 };
  if (sendingStates.includes(batch.status) && maySendMore(rows, waitsForFirstRows(batch, counts))) return true;
  const doubtAt = await nextLookupAt(db, batch.batch_id, now);
  return doubtAt !== null && doubtAt - now <= patienceMs;
}

/**
 * Whether an accepted row should settle or be read soon. An overdue row counts only for a runner with infinite
 * patience.
 */
async function movesOn(db: Queryable, { batch_id }: BatchRecord, now: number, patienceMs: number): Promise<boolean> {
  if (patienceMs === Number.POSITIVE_INFINITY || (await hasPromised(db, batch_id))) return true;
  const dueAt = await nextDueAt(db, batch_id, 'accepted');
  return dueAt !== null && dueAt <= now;
}

const moving: readonly RowState[] = ['ready', 'sending', 'accepted', 'in_doubt'];

/**
 * Whether the batch waits for its first rows: all of them were sent, and the others follow only after they are
 * terminal.
 */
export function waitsForFirstRows(
  { policy, canary_at }: Pick<BatchRecord, 'policy' | 'canary_at'>,
  counts: ReadonlyMap<string, number>,
): boolean {
  const { canary } = storedPolicy(policy);
  if (canary === null || canary_at !== null) return false;
  // Once all of them have ended and nothing is left to send, there is nothing to wait for.
  return sentAmong(counts) >= canary.rows && moving.some((state) => counts.has(state));
}

/** Whether all rows of a batch are terminal, by the counts of its rows. */
export function allTerminal(counts: ReadonlyMap<string, number>): boolean {
  return [...counts.keys()].every(isTerminal);
}
