import { type Command, Option } from 'commander';
import type { CommandModule } from './base/command.ts';
import { addIntakeOptions } from './base/intake-options.ts';

/** Wraps a command for commander. Its module is loaded only when it runs, so that `--help` starts fast. */
export type Call = (load: () => Promise<CommandModule>) => (...params: unknown[]) => Promise<void>;

export const trying = 'Try and learn:';

export function example(command: Command, text: string): Command {
  return command.addHelpText('after', `\nExample:\n  $ ${text}`);
}

export const priorities = ['urgent', 'normal', 'bulk'];
export const finishBy = [
  '--finish-by <time>',
  'the deadline for the last row (2026-11-20T17:00:00+03:00): the batch is sent before others if it would be late',
] as const;
export const theFile = 'the CSV file or workbook; "-" for standard input';

/**
 * Refuses an option together with its opposite. commander treats the two as one option, and would silently use the last
 * one given.
 */
export function refuseTogether(command: Command, options: readonly [string, string]): void {
  const said = new Set<string>();
  for (const option of options)
    command.on(`option:${option.slice(2)}`, () => {
      said.add(option);
      if (said.size === options.length)
        command.error(`error: option '${options[0]}' cannot be used with option '${options[1]}'`);
    });
}

/** Adds the options of every command that makes a batch from a file. */
export function addBatchOptions(command: Command): Command {
  return addIntakeOptions(command)
    .option('--account <name>', 'the account that pays (default: the only one, "default", or the embedded sandbox)')
    .option(
      '--run-id <id>',
      'a name for this payout: within one run id, each row is paid once (default: derived from the file)',
    )
    .addOption(
      new Option('--priority <priority>', 'which batches of the account are sent first')
        .choices(priorities)
        .default('normal'),
    )
    .option(...finishBy);
}

export const restored = [
  '--restored',
  'the ledger was restored from a backup: look up every row at the service before sending it (add this once)',
] as const;
export const serviceMoved = [
  '--service-moved',
  'the same service, with its payments, has a new address: continue there',
] as const;
export const out = ['--out <dir>', 'where the reports go (default: reports)'] as const;
export const account = ['--account <name>', 'the account to ask (default: as for "run")'] as const;
