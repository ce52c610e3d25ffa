import { approve, askApproval } from '../../engine/batches/batch-commands.ts';
import { defineOperation } from '../base/operation.ts';
import { whileNothingIsSent } from '../working/nothing-sent.ts';
import { importAndPlan, unsentBatch, unsentJson } from './batch-of-file.ts';
import { batchInput } from './file-input.ts';

/**
 * Makes a batch of a file, and sends nothing. It waits for a second person where the policy asks for one, and is
 * approved otherwise.
 */
export const submitFile = defineOperation({
  name: 'submit-file',
  role: 'prepare',
  ledger: 'make',
  input: batchInput,
  result: unsentBatch,
  run: (context, input) =>
    context.withAccount(input.account, async (account) => {
      const file = await whileNothingIsSent(context, () => importAndPlan(context, account, input, false));
      const { actor } = context;
      const { batch_id } = file.batch;
      const { plan, reason } = file;
      const batch =
        reason === null
          ? await approve(actor, batch_id, { balance: plan.balance, plan })
          : await askApproval(actor, batch_id, reason);
      return unsentJson(context, batch, file);
    }),
});
