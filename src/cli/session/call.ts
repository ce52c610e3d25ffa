import type { z } from 'zod';
import {
  type Door,
  type LedgerUse,
  type Operation,
  type OperationContext,
  openFor,
  perform,
  performIn,
} from '../../operations/base/operation.ts';
import type { CommandContext } from '../base/command.ts';
import { placeOf } from './session.ts';

/** Does an operation in the name of whoever runs the command, and returns its result. */
export function call<Input extends z.ZodType, Result extends z.ZodType>(
  context: CommandContext,
  operation: Operation<Input, Result>,
  input: z.input<Input>,
  onWait?: OperationContext['onWait'],
): Promise<z.output<Result>> {
  return perform(operation, { ...doorOf(context), onWait }, input);
}

/** As `call`, in a session that stays open. */
export type Call = <Input extends z.ZodType, Result extends z.ZodType>(
  operation: Operation<Input, Result>,
  input: z.input<Input>,
) => Promise<z.output<Result>>;

/** Does several operations in one session. `ledger`: as of those operations. */
export async function withCalls<Result>(
  context: CommandContext,
  ledger: LedgerUse,
  work: (call: Call) => Promise<Result>,
): Promise<Result> {
  const door = doorOf(context);
  const session = await openFor(ledger, door);
  try {
    return await work((operation, input) => performIn(session, operation, door, input));
  } finally {
    await session.db.close();
  }
}

function doorOf(context: CommandContext): Door {
  const { terminal } = context;
  return {
    place: placeOf(context),
    onNote: (text) => terminal.error(`${text}\n`),
    nameOf: (field) => (field === 'batch_id' ? '--batch' : `--${field.replaceAll('_', '-')}`),
  };
}
