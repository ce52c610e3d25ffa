import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import type { SecretOf } from '../../notify/recipients.ts';
import { readEditedText } from './edited-text.ts';

/** The variables of a process or of a `.env` file. */
export type Environment = Record<string, string | undefined>;

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
      hint: 'Whoever uses this folder must be able to read .env: ask its owner.',
      cause: error,
    });
  }
}

/**
 * Problems of the `.env` file that do not keep it from being used. Its group may be meant to read it; nobody else is.
 */
export function dotEnvWarnings(cwd: string): string[] {
  const path = join(cwd, '.env');
  if (process.platform === 'win32' || !existsSync(path) || (statSync(path).mode & 0o004) === 0) return [];
  return [`every user of this machine can read ${path}, which holds secrets: chmod o-r ${JSON.stringify(path)}`];
}

/** The values of variables that fields name. `requireAll` reports all problems together. */
export interface Secrets {
  /** Empty if the variable has a problem. */
  get: SecretOf;
  /** Throws `CONFIG_INVALID` with every field whose variable is not set or not valid. */
  requireAll(): void;
}

export function collectSecrets(env: Environment): Secrets {
  const faults: string[] = [];
  const variables = new Set<string>();
  return {
    get(field, variable, faultOf = () => null) {
      const value = env[variable];
      const fault = value ? faultOf(value) : 'is not set';
      if (value && fault === null) return value;
      // The value is not shown: it may be a secret with a typing error.
      faults.push(`${field}: the environment variable ${variable} ${fault}`);
      variables.add(variable);
      return '';
    },
    requireAll() {
      if (faults.length === 0) return;
      const names = [...variables].join(', ').replace(/, ([^,]+)$/, ' and $1');
      throw new AirbatchError('CONFIG_INVALID', faults.join('; '), {
        hint: `Set ${names} in the environment or in .env.`,
      });
    },
  };
}

/** The value of a single variable that a field names. Throws as `requireAll` does. */
export function requireSecret(env: Environment, ...named: Parameters<SecretOf>): string {
  const { get, requireAll } = collectSecrets(env);
  const value = get(...named);
  requireAll();
  return value;
}

/**
 * Names of variables that hold secrets of other programs. A job's command gets them too and may print them in an error.
 */
const secretVariable =
  /(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?)(?:$|_)/i;

/** The values of such variables, except for paths and flags ("/run/agent.sock", "true"). */
export function secretsNamed(env: Environment): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value && value.length >= 8 && !/^[/.~]/.test(value) && secretVariable.test(name) ? [value] : [],
  );
}
