import { defineOperation } from '../base/operation.ts';
import { moveStep } from '../mending/move-step.ts';
import { changeInput, changeResult, changing } from './changing.ts';
import { step, stepJson } from './step-json.ts';

/** Undoes the last step of a draft, whoever did it. The audit trail keeps both. */
export const undoDraft = defineOperation({
  name: 'undo-draft',
  role: 'prepare',
  ledger: 'change',
  input: changeInput,
  result: changeResult.extend({
    /** The step; null if there was none. */
    moved: step.nullable(),
  }),
  run: (context, input) =>
    changing(context, input, async (draft, account) => {
      const moved = await moveStep(context.session, account, draft, 'undo');
      return { moved: moved && stepJson(moved) };
    }),
});
