import { msUntilSent } from '../core/rate-outlook.ts';
import { ranks } from '../engine/picker.ts';
import { waitsForFirstRows } from '../engine/remaining.ts';
import { type BatchRecord, countRows, openBatches } from '../ledger/batches.ts';
import type { Queryable } from '../ledger/database.ts';
import type { NotedPace } from '../ledger/pace.ts';

/** Another batch of the account, of whose rows some are sent before the last of this one. */
export interface BatchBefore {
  batch: string;
  /** So many: all that it has to send where it goes before, and where they take turns no more than this one has itself. */
  rows: number;
  takesTurns: boolean;
  /** Whether none of them can be sent at this moment: it waits for its first rows to end, or for numbers that were paid a moment ago. */
  stands: boolean;
}

/** In how many milliseconds the last of a batch's `ready` rows is sent, at the noted pace; null where that cannot be told. */
export function msLeft(
  batch: BatchRecord,
  { ready, pace, before, now }: { ready: number; pace: NotedPace; before: readonly BatchBefore[]; now: number },
): number | null {
  if (ready === 0) return 0;
  if (pace.unreachableSince !== null) return null;
  const spaced = pace.spaced[batch.batch_id];
  const sends = before.reduce((sum, { rows }) => sum + rows, ready);
  return Math.max(msUntilSent(pace.outlook, sends, now), spaced ? spaced.lastAt - now : 0);
}

/** The batches whose rows are sent before the last of the `ready` ones that this one has to send: those that go before it come first. */
export async function batchesBefore(
  db: Queryable,
  batch: BatchRecord,
  { ready, pace }: { ready: number; pace: Pick<NotedPace, 'spaced'> },
): Promise<BatchBefore[]> {
  if (ready === 0) return [];
  const found: BatchBefore[] = [];
  for (const other of await openBatches(db, batch.account)) {
    const rank = ranks[other.priority] - ranks[batch.priority];
    if (other.batch_id === batch.batch_id || other.status !== 'running' || rank > 0) continue;
    const counts = await countRows(db, other.batch_id);
    const waiting = counts.get('ready') ?? 0;
    if (waiting === 0) continue;
    const isSpaced = (pace.spaced[other.batch_id]?.rows ?? 0) >= waiting;
    found.push({
      batch: other.batch_id,
      rows: rank < 0 ? waiting : Math.min(waiting, ready),
      takesTurns: rank === 0,
      stands: isSpaced || waitsForFirstRows(other, counts),
    });
  }
  return found.sort((a, b) => Number(a.takesTurns) - Number(b.takesTurns));
}
