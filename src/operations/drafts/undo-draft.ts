import { defineOperation } from '../base/operation.ts';
import { changeInput } from './changing.ts';
import { moveResult, moving } from './moving.ts';

/** Undoes the last step of a draft, whoever did it. The audit trail keeps both. */
export const undoDraft = defineOperation({
  name: 'undo-draft',
  role: 'prepare',
  ledger: 'change',
  input: changeInput,
  result: moveResult,
  run: (context, input) => moving(context, input, 'undo'),
});
