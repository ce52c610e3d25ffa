import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import type { SecretOf } from '../../notify/recipients.ts';
import { readEditedText } from './edited-text.ts';
import { type Environment, type FoundSecret, findSecret, isReadableByAll, readSecretFile } from './secret-file.ts';

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

/** The `.env` file, if every user of this machine can read it. Its group may be meant to. */
export function openDotEnv(cwd: string): string[] {
  const path = join(cwd, '.env');
  return existsSync(path) && isReadableByAll(path, {}) ? [path] : [];
}

/** What a person should know of such a file. */
export function openFileWarning(path: string): string {
  return `every user of this machine can read ${path}, which holds secrets: chmod o-r ${JSON.stringify(path)}`;
}

/** Reads the secrets that fields name: the only place that does. `requireAll` reports all problems together. */
export interface Secrets {
  /** The secret of a variable, or of the file that stands for it. Empty if it has a problem. */
  get: SecretOf;
  /** The secret in a file, whose path is absolute. Empty if it has a problem. */
  read: (field: string, file: string) => string;
  /** Where a variable was found, for people: "TOPUP_KEY", "the file /run/secrets/topup". */
  placeOf: (variable: string) => string;
  /** The files that were read and that every user of the machine can read. */
  openFiles(): string[];
  /** Throws `CONFIG_INVALID` with every field whose secret is not set or not valid. */
  requireAll(): void;
}

export function collectSecrets(env: Environment): Secrets {
  const faults: string[] = [];
  const missing = new Set<string>();
  const files = new Set<string>();
  const take = (subject: string, found: FoundSecret, faultOf: (value: string) => string | null): string => {
    if (found.file !== null && isReadableByAll(found.file, env)) files.add(found.file);
    const fault = found.fault ?? faultOf(found.value);
    if (fault === null) return found.value;
    // The value is not shown: it may be a secret with a typing error.
    faults.push(`${subject} ${fault}`);
    return '';
  };
  return {
    get(field, variable, faultOf = () => null) {
      const found = findSecret(env, variable) ?? { value: '', file: null, fault: 'is not set' };
      if (found.file === null && (found.fault ?? faultOf(found.value)) !== null) missing.add(variable);
      const name = found.file === null ? variable : `${variable}_FILE`;
      return take(`${field}: the environment variable ${name}`, found, faultOf);
    },
    read: (field, file) => take(field, readSecretFile(file), () => null),
    placeOf: (variable) => {
      const file = findSecret(env, variable)?.file ?? null;
      return file === null ? variable : `the file ${file}`;
    },
    openFiles: () => [...files],
    requireAll() {
      if (faults.length === 0) return;
      const names = [...missing].join(', ').replace(/, ([^,]+)$/, ' and $1');
      const hint = names === '' ? 'Correct the files of the secrets.' : `Set ${names} in the environment or in .env.`;
      throw new AirbatchError('CONFIG_INVALID', faults.join('; '), { hint });
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
    value && value.length >= 8 && !/^[/.~]/.test(value) && secretVariable.test(name) && !name.endsWith('_FILE')
      ? [value]
      : [],
  );
}
