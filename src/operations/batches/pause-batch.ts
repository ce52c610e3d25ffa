import { z } from 'zod';
import { pauseBatch as pause } from '../../engine/batches/batch-commands.ts';
import { batchId, batchStatus, reason } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';

/** Nothing more of a batch is sent, by whichever program works on its account; what was sent is followed to its end. */
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
