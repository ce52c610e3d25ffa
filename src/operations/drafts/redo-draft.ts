import { defineOperation } from '../base/operation.ts';
import { changeInput } from './changing.ts';
import { moveResult, moving } from './moving.ts';

/** Does the last undone step of a draft again. */
export const redoDraft = defineOperation({
  name: 'redo-draft',
  role: 'prepare',
  ledger: 'change',
  input: changeInput,
  result: moveResult,
  run: (context, input) => moving(context, input, 'redo'),
});
