import type { z } from 'zod';
import { defineOperation, type OperationContext } from '../base/operation.ts';
import { moveStep } from '../mending/move-step.ts';
import { step, stepJson } from '../mending/step-json.ts';
import { changeInput, changeResult, changing } from './changing.ts';

const result = changeResult.extend({
  /** The step; null if there was none. */
  moved: step.nullable(),
});

const moving =
  (direction: 'undo' | 'redo') =>
  (context: OperationContext, input: z.output<typeof changeInput>): Promise<z.output<typeof result>> =>
    changing(context, input, async (draft, account, dropPlan) => {
      const moved = await moveStep(context.session, account, draft, { way: direction, dropPlan });
      return { moved: moved && stepJson(moved) };
    });

const common = { role: 'prepare', ledger: 'change', input: changeInput, result } as const;

/** Undoes the last step of a draft, also one of another person. The audit trail keeps the step and its undoing. */
export const undoDraft = defineOperation({ name: 'undo-draft', ...common, run: moving('undo') });

/** Does the last undone step of a draft again. */
export const redoDraft = defineOperation({ name: 'redo-draft', ...common, run: moving('redo') });
