import { defineOperation } from '../base/operation.ts';
import { moveStep } from '../mending/move-step.ts';
import { changeInput, changeResult, changing } from './changing.ts';
import { step, stepJson } from './step-json.ts';

/** Does the last undone step of a draft again. */
export const redoDraft = defineOperation({
  name: 'redo-draft',
  role: 'prepare',
  ledger: 'change',
  input: changeInput,
  result: changeResult.extend({
    /** The step; null if there was none. */
    moved: step.nullable(),
  }),
  run: (context, input) =>
    changing(context, input, async (draft, account) => {
      const moved = await moveStep(context.session, account, draft, 'redo');
      return { moved: moved && stepJson(moved) };
    }),
});
