import type { z } from 'zod';
import type { OperationContext } from '../base/operation.ts';
import { moveStep } from '../mending/move-step.ts';
import { step, stepJson } from '../mending/step-json.ts';
import { type changeInput, changeResult, changing } from './changing.ts';

export const moveResult = changeResult.extend({
  /** The step; null if there was none. */
  moved: step.nullable(),
});

/** Undoes the last step of a draft, or does the last undone one again. */
export function moving(
  context: OperationContext,
  input: z.output<typeof changeInput>,
  direction: 'undo' | 'redo',
): Promise<z.output<typeof moveResult>> {
  return changing(context, input, async (draft, account) => {
    const moved = await moveStep(context.session, account, draft, direction);
    return { moved: moved && stepJson(moved) };
  });
}
