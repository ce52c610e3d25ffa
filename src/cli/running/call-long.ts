import type { z } from 'zod';
import { type Door, type Operation, perform } from '../../operations/base/operation.ts';
import type { CommandContext } from '../base/command.ts';
import { doorOf } from '../session/call.ts';
import { untilStopped } from '../session/interrupt.ts';
import { makeEventScreen } from './event-screen.ts';
import { progressMsOf } from './progress.ts';

/**
 * Runs a long operation, shows the events that it reports, and stops it at the first Ctrl-C. Returns its result, or
 * null if it was stopped before it had a result.
 */
export function callLong<Input extends z.ZodType, Result extends z.ZodType>(
  context: CommandContext,
  operation: Operation<Input, Result>,
  input: z.input<Input>,
  more: Pick<Door, 'emit' | 'ask'> = {},
): Promise<z.output<Result> | null> {
  return untilStopped((signal) => perform(operation, longDoorOf(context, signal, more), input));
}

/** The command line as the door of a long operation. */
function longDoorOf(
  context: CommandContext,
  signal: AbortSignal,
  { emit, ...more }: Pick<Door, 'emit' | 'ask'> = {},
): ReturnType<typeof doorOf> {
  const show = makeEventScreen(context);
  return {
    ...doorOf(context),
    ...more,
    signal,
    progressMs: progressMsOf(context.terminal),
    emit(event) {
      show(event);
      emit?.(event);
    },
  };
}
