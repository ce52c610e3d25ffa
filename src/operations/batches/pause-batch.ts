import { z } from 'zod';
import { pauseBatch as pause } from '../../engine/batches/batch-commands.ts';
import { batchId, batchStatus, reason } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';

/**
 * Pauses a batch: nothing more of it is sent, whichever program works on its account. airbatch follows the rows that
 * were sent until they end.
 */
export const pauseBatch = defineOperation({
  name: 'pause-batch',
  role: 'operate',
  ledger: 'change',
  input: z.strictObject({ batch_id: batchId, why: reason }),
  result: z.strictObject({ batch_id: batchId, status: batchStatus }),
  async run({ actor }, { batch_id, why }) {
    const { status } = await pause(actor, batch_id, why);
    return { batch_id, status };
  },
});
