import type { z } from 'zod';
import { type Door, type Operation, perform } from '../../operations/base/operation.ts';
import type { CommandContext } from '../base/command.ts';
import { doorOf } from '../session/call.ts';
import { untilStopped } from '../session/interrupt.ts';
import { makeEventScreen } from './event-screen.ts';
import { progressMsOf } from './progress.ts';

/**
 * Does an operation that takes long, shows what it reports, and stops it at the first Ctrl-C. Returns its result, or
 * null where it was stopped before there was one.
 */
export function callLong<Input extends z.ZodType, Result extends z.ZodType>(
  context: CommandContext,
  operation: Operation<Input, Result>,
  input: z.input<Input>,
  more: Pick<Door, 'emit' | 'ask'> = {},
): Promise<z.output<Result> | null> {
  return untilStopped((signal) => perform(operation, longDoorOf(context, signal, more), input));
}

/** The command line as a door of an operation that takes long. */
export function longDoorOf(
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
