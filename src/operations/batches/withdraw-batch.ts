import { z } from 'zod';
import { withdrawBatch as withdraw } from '../../engine/batches/batch-commands.ts';
import { batchId, batchStatus, reason } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';

/**
 * Takes a batch that waits for approval back, for the person who submitted it: it is not paid. Its run id stays free
 * for a corrected file.
 */
export const withdrawBatch = defineOperation({
  name: 'withdraw-batch',
  role: 'prepare',
  ledger: 'change',
  input: z.strictObject({ batch_id: batchId, why: reason }),
  result: z.strictObject({ batch_id: batchId, status: batchStatus }),
  async run({ actor }, { batch_id, why }) {
    const { status } = await withdraw(actor, batch_id, why);
    return { batch_id, status };
  },
});
