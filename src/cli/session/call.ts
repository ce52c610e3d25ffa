import type { z } from 'zod';
import { type Operation, type OperationContext, perform } from '../../operations/base/operation.ts';
import type { CommandContext } from '../base/command.ts';
import { placeOf } from './session.ts';

/** Does an operation in the name of whoever runs the command, and returns its result. */
export function call<Input extends z.ZodType, Result extends z.ZodType>(
  context: CommandContext,
  operation: Operation<Input, Result>,
  input: z.input<Input>,
  onWait?: OperationContext['onWait'],
): Promise<z.output<Result>> {
  const { terminal } = context;
  return perform(
    operation,
    {
      place: placeOf(context),
      onWait,
      onNote: (text) => terminal.error(`${text}\n`),
      nameOf: (field) => `--${field.replaceAll('_', '-')}`,
    },
    input,
  );
}
