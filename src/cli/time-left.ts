import { msUntilSent } from '../core/rate-outlook.ts';
import { ranks } from '../engine/picker.ts';
import { type BatchRecord, countRows, openBatches } from '../ledger/batches.ts';
import type { Queryable } from '../ledger/database.ts';
import type { NotedPace } from '../ledger/pace.ts';

/** In how many milliseconds the last of a batch's `ready` rows is sent, at the noted pace; null where that cannot be told. */
export async function msLeft(
  db: Queryable,
  batch: BatchRecord,
  { ready, pace, now }: { ready: number; pace: NotedPace; now: number },
): Promise<number | null> {
  if (ready === 0) return 0;
  if (pace.unreachableSince !== null) return null;
  const spaced = pace.spaced[batch.batch_id];
  const sends = await sendsUntilSent(db, batch, ready);
  return Math.max(msUntilSent(pace.outlook, sends, now), spaced ? spaced.lastAt - now : 0);
}

/**
 * How many rows of the account are sent until the last of the batch is, which has `ready` to send itself: those of batches that go before
 * it, and of those beside it as many, since they take turns.
 */
export async function sendsUntilSent(db: Queryable, batch: BatchRecord, ready: number): Promise<number> {
  let sends = ready;
  for (const other of await openBatches(db, batch.account)) {
    const rank = ranks[other.priority] - ranks[batch.priority];
    if (other.batch_id === batch.batch_id || other.status !== 'running' || rank > 0) continue;
    const waiting = (await countRows(db, other.batch_id)).get('ready') ?? 0;
    sends += rank < 0 ? waiting : Math.min(waiting, ready);
  }
  return sends;
}
