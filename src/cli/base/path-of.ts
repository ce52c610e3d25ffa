import { resolve } from 'node:path';
import type { CommandContext } from './command.ts';

/** The absolute path of an option's value; undefined if the option is not given. */
export function pathOf({ cwd }: Pick<CommandContext, 'cwd'>, given: string | undefined): string | undefined {
  return given ? resolve(cwd, given) : undefined;
}
