import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import { readEditedText } from './edited-text.ts';
import { type Environment, isReadableByAll } from './secret-file.ts';

/**
 * The variables in the `.env` file of the working directory; empty if there is no such file. Throws `CONFIG_INVALID` if
 * it cannot be read.
 */
export function readDotEnv(cwd: string): Environment {
  const path = join(cwd, '.env');
  if (!existsSync(path)) return {};
  try {
    return parseEnv(readEditedText(path));
  } catch (error) {
    throw new AirbatchError('CONFIG_INVALID', `${path} cannot be read: ${errorMessage(error)}`, {
      hint: 'Every user of this folder must have the right to read .env: ask its owner.',
      cause: error,
    });
  }
}

/** The `.env` file, if every user of this machine can read it. Its group may be meant to. */
export function openDotEnv(cwd: string): string[] {
  const path = join(cwd, '.env');
  return existsSync(path) && isReadableByAll(path, {}) ? [path] : [];
}

/** What a person should know of such a file. */
export function openFileWarning(path: string): string {
  return `every user of this machine can read ${path}, which holds secrets: chmod o-r ${JSON.stringify(path)}`;
}

/**
 * Names of variables that hold secrets of other programs. A job's command gets them too and may print them in an error.
 */
const secretVariable =
  /(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?)(?:$|_)/i;

/** The values of such variables, except for paths and flags ("/run/agent.sock", "true"). */
export function secretsNamed(env: Environment): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value && value.length >= 8 && !/^[/.~]/.test(value) && secretVariable.test(name) && !name.endsWith('_FILE')
      ? [value]
      : [],
  );
}
