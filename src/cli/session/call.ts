import type { Readable } from 'node:stream';
import type { z } from 'zod';
import { visible } from '../../core/text/visible.ts';
import { type Door, type Operation, openFor, type Place, perform, performIn } from '../../operations/base/operation.ts';
import type { CommandContext } from '../base/command.ts';

/** Runs an operation in the name of the person who runs the command, and returns its result. */
export function call<Input extends z.ZodType, Result extends z.ZodType>(
  context: CommandContext,
  operation: Operation<Input, Result>,
  input: z.input<Input>,
  onWait?: Door['onWait'],
): Promise<z.output<Result>> {
  return perform(operation, { ...doorOf(context), ...(onWait ? { onWait } : {}) }, input);
}

/** The same as `call`, in a session that stays open. */
export type Call = <Input extends z.ZodType, Result extends z.ZodType>(
  operation: Operation<Input, Result>,
  input: z.input<Input>,
) => Promise<z.output<Result>>;

/** Runs several operations in one session. `read` opens a file of reports that an operation has named. */
export async function withCalls<Result>(
  context: CommandContext,
  work: (call: Call, read: (path: string) => Promise<Readable>) => Promise<Result>,
): Promise<Result> {
  const door = doorOf(context);
  const session = await openFor('change', door.place);
  try {
    return await work(
      (operation, input) => performIn(session, operation, door, input),
      // Loaded only if it is needed: few commands read reports.
      async (path) => (await import('../../runtime/upkeep/report-store.ts')).openReport(session, path),
    );
  } finally {
    await session.db.close();
  }
}

/** The command line as a door: it shows notes, and names each input field by its option. */
export function doorOf(context: CommandContext): Door & { place: Place } {
  const { cwd, env, configPath, ledgerPath, terminal, stderr } = context;
  return {
    place: {
      cwd,
      env,
      configPath,
      ledgerPath,
      screen: terminal.isInteractive ? terminal.error : null,
      stderr,
      through: 'cli',
    },
    emit: (event) => {
      if (event.kind === 'note') terminal.error(`${visible(event.text)}\n`);
    },
    nameOf: (field) => optionNames.get(field) ?? `--${field.replaceAll('_', '-')}`,
  };
}

/** Options that are not called like their input field. */
const optionNames: ReadonlyMap<string, string> = new Map([
  ['batch_id', '--batch'],
  ['status', '--state'],
  ['sums', '--sum'],
  ['wallets', '--wallet'],
]);
