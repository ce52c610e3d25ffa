import { z } from 'zod';
import { isoOrNull } from '../../core/time/clock.ts';
import { reorderBatch as reorder } from '../../engine/batches/reorder.ts';
import { batchId, batchStatus, moment, priority, time } from '../base/fields.ts';
import { comingTime } from '../base/input-times.ts';
import { type Door, defineOperation } from '../base/operation.ts';

/** Changes the place of a batch among the batches of its account, whichever program works on it. */
export const reorderBatch = defineOperation({
  name: 'reorder-batch',
  role: 'operate',
  ledger: 'change',
  input: z
    .strictObject({
      batch_id: batchId,
      priority: priority.optional(),
      /** When every row should have ended. Null removes an earlier finish time. */
      finish_by: moment.nullable().optional(),
    })
    .refine(({ priority, finish_by }) => priority !== undefined || finish_by !== undefined, {
      error: 'nothing to change was given',
      params: { hint: (nameOf: Door['nameOf']) => `Give ${nameOf('priority')} or ${nameOf('finish_by')}.` },
    }),
  result: z.strictObject({ batch_id: batchId, status: batchStatus, priority, finish_by: time.nullable() }),
  async run({ actor, nameOf }, { batch_id, priority, finish_by }) {
    const now = actor.clock.now();
    // Null removes an earlier finish time; undefined keeps it.
    const finishBy = finish_by == null ? finish_by : comingTime(nameOf('finish_by'), finish_by, now);
    const batch = await reorder(actor, batch_id, { priority, finishBy });
    return { batch_id, status: batch.status, priority: batch.priority, finish_by: isoOrNull(batch.finish_by) };
  },
});
