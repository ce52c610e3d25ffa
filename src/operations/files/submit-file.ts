import { defineOperation } from '../base/operation.ts';
import { whileNothingIsSent } from '../working/nothing-sent.ts';
import { decide, importAndPlan, unsentBatch, unsentJson } from './batch-of-file.ts';
import { batchInput } from './file-input.ts';

/**
 * Makes a batch from a file and sends nothing. The batch waits for a second person if the policy asks for one;
 * otherwise it is approved.
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
      return unsentJson(context, await decide(context, file), file);
    }),
});
