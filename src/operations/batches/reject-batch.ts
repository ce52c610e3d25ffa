import { z } from 'zod';
import { rejectBatch as reject } from '../../engine/batches/batch-commands.ts';
import { batchId, batchStatus, reason } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';

/** Rejects a batch that waits for approval: it is not paid. Its run id stays free for a corrected file. */
export const rejectBatch = defineOperation({
  name: 'reject-batch',
  role: 'approve',
  ledger: 'change',
  input: z.strictObject({ batch_id: batchId, why: reason }),
  result: z.strictObject({ batch_id: batchId, status: batchStatus }),
  async run({ actor }, { batch_id, why }) {
    const { status } = await reject(actor, batch_id, why);
    return { batch_id, status };
  },
});
