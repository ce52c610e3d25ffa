import { isoTime } from '../../core/time/clock.ts';
import { findBatch } from '../../ledger/batches/batches.ts';
import { boostNeeded, type PaceAhead } from '../forecast/forecast.ts';
import { sendingOf } from '../forecast/sending.ts';
import type { Parts, Writes } from '../runner/context.ts';

export type DeadlineBoostNeeds = Parts<Writes | 'account' | 'batches' | 'late' | 'wakes'>;

/**
 * Boosts the batches that must go first to finish in time, and records those that will be late nevertheless. A boost is
 * stored in the ledger and lasts until the batch's last row is sent. If it did not last, batches would change places at
 * each look, because a batch needs less time the more of it is sent. Returns whether any batch has a deadline.
 */
export async function boostDeadlines(context: DeadlineBoostNeeds, pace: PaceAhead): Promise<boolean> {
  const { db, account, clock, batches, late } = context;
  const isToBeDone = [...batches.all().values()].some(({ batch }) => batch.finish_by !== null);
  if (!isToBeDone) {
    late.clear();
    return false;
  }
  const sending = await sendingOf(db, account);
  for (const batchId of boostNeeded(sending, pace, clock.now())) await boost(context, batchId);
  late.look(sending, pace);
  return true;
}

async function boost(context: Parts<'committer' | 'log' | 'wakes'>, batchId: string): Promise<void> {
  const boosted = await context.committer.commit(async (unit) => {
    const batch = await findBatch(unit.tx, batchId);
    // A person may have changed the deadline, or paused the batch, since it was read.
    if (batch?.status !== 'running' || batch.finish_by === null || batch.boosted_at !== null) return null;
    await unit.append(batchId, 'batch.boost', { finish_by: batch.finish_by });
    return unit.noteBatch(batch, { boosted_at: unit.at });
  });
  if (boosted?.finish_by == null) return;
  context.log.info('a batch is sent before others, so that it finishes in time', {
    batch_id: batchId,
    finish_by: isoTime(boosted.finish_by),
  });
  context.wakes.supervise.wake();
}
