import { relative, resolve } from 'node:path';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import { isBucketPlace } from '../../reports/store/object-store.ts';
import type { CommandContext } from './command.ts';

/** The absolute path of an option's value; undefined if the option is not given. */
export function pathOf({ cwd }: Pick<CommandContext, 'cwd'>, given: string | undefined): string | undefined {
  return given ? resolve(cwd, given) : undefined;
}

/** A folder of reports for people: relative to the working directory, or its address in a bucket. */
export function shownFolder(cwd: string, dir: string): string {
  return isBucketPlace(dir) ? dir : relative(cwd, dir) || '.';
}

/** Throws the error of a file that a person has named with `--out` and that cannot be written. */
export function unwritable(file: string): (error: unknown) => never {
  return (error) => {
    throw new AirbatchError('FOLDER_UNWRITABLE', `${file} cannot be written: ${errorMessage(error)}`, {
      hint: 'Name another file with --out, and repeat the command.',
      cause: error,
    });
  };
}
