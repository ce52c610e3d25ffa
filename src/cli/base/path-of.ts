import { resolve } from 'node:path';
import type { CommandContext } from './command.ts';

/** A path as an option gives it, made absolute; undefined where the option is not given. */
export function pathOf({ cwd }: Pick<CommandContext, 'cwd'>, given: string | undefined): string | undefined {
  return given ? resolve(cwd, given) : undefined;
}
