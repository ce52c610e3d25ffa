import { hasEnded } from '../../core/state/batch-state.ts';
import { type Actor, inUnitOf } from '../../ledger/actor.ts';
import type { BatchRecord, Priority } from '../../ledger/batches/batches.ts';
import { requireBatch, statusHint, wrongState } from '../../ledger/batches/require-batch.ts';

/** A place among the batches of an account. A field that is left out stays as it is. */
export interface NewPlace {
  priority?: Priority | undefined;
  /** The time by which all rows must have ended (epoch ms); null: no deadline. */
  finishBy?: number | null | undefined;
}

/**
 * Changes a batch's place among those of its account. The process that sends it follows within about a second. Fails
 * with `BATCH_UNKNOWN`, or with `BATCH_STATE` if the batch has ended.
 */
export function reorderBatch(actor: Actor, batchId: string, place: NewPlace): Promise<BatchRecord> {
  return inUnitOf(actor, async (unit) => {
    const batch = await requireBatch(unit.tx, batchId);
    if (hasEnded(batch.status)) throw wrongState(batch, 'it has nothing left to send', statusHint(batch));
    const priority = place.priority ?? batch.priority;
    const finish_by = place.finishBy === undefined ? batch.finish_by : place.finishBy;
    // The boost is decided again for the new place.
    const changed = await unit.noteBatch(batch, { priority, finish_by, boosted_at: null });
    await unit.append(batchId, 'batch.reorder', {
      priority,
      finish_by,
      before_priority: batch.priority,
      before_finish_by: batch.finish_by,
    });
    return changed ?? batch;
  });
}
