import pLimit from 'p-limit';
import { dueRows, nextDueAt, type RowRecord } from '../ledger/rows.ts';
import type { OpenBatch, RunnerContext } from './context.ts';

/** Rows taken from the ledger at once; each becomes a request. */
const rowsPerPass = 100;
/** Requests under way at once. The limiter decides when each starts. */
const requestsAtOnce = 8;

/**
 * Takes a step for every row of the open batches that is in this state and due, until the runner stops. Returns when the next one is due
 * (epoch ms), or null where none is.
 */
export async function stepDueRows(
  context: RunnerContext,
  status: 'accepted' | 'in_doubt',
  step: (open: OpenBatch, row: RowRecord) => Promise<void>,
): Promise<number | null> {
  const { db, clock, stopping } = context;
  const limit = pLimit(requestsAtOnce);
  let next: number | null = null;
  for (const open of context.batches.values()) {
    const { batch_id: batchId } = open.batch;
    const rows = await dueRows(db, batchId, status, clock.now(), rowsPerPass);
    await Promise.all(rows.map((row) => limit(async () => stopping.aborted || (await step(open, row)))));
    const at = await nextDueAt(db, batchId, status);
    if (at !== null) next = Math.min(next ?? at, at);
  }
  return next;
}
