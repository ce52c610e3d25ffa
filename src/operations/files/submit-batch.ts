import { z } from 'zod';
import { requireBatch, wrongState } from '../../ledger/batches/require-batch.ts';
import { batchId } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { plan, planJson } from '../base/plan.ts';
import { decide, planBatch, unsentBatch, unsentJson } from './batch-of-file.ts';

/** Approves an imported batch, or lets it wait for a second person if its policy asks for one. */
export const submitBatch = defineOperation({
  name: 'submit-batch',
  role: 'prepare',
  ledger: 'change',
  input: z.strictObject({ batch_id: batchId }),
  result: unsentBatch.extend({ plan }),
  async run(context, { batch_id }) {
    const batch = await requireBatch(context.session.db, batch_id);
    if (batch.status !== 'validated') throw wrongState(batch, '');
    return context.withAccount(batch.account, async (account) => {
      const planned = await planBatch(context, account, batch);
      const submitted = await decide(context, planned);
      return { ...(await unsentJson(context, submitted, planned)), plan: planJson(planned.plan) };
    });
  },
});
