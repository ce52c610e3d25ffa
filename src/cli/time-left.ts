import { msUntilSent } from '../core/rate-outlook.ts';
import type { BatchBefore } from '../engine/batches-before.ts';
import type { BatchRecord } from '../ledger/batches.ts';
import type { NotedPace } from '../ledger/pace.ts';

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
