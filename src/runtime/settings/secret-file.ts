import { statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { errorMessage } from '../../core/basics/errors.ts';
import { readEditedText } from './edited-text.ts';

/** The variables of a process or of a `.env` file. */
export type Environment = Record<string, string | undefined>;

/** No key, token or passphrase is larger. */
const bytesMax = 64 * 1_024;

/** A secret and where it was found; `fault`: why it cannot be used, as a predicate of the source. */
export interface FoundSecret {
  value: string;
  /** The file that it was read from; null: a variable. */
  file: string | null;
  fault: string | null;
}

/**
 * The secret that a variable names: its own value, the content of the file that `<VARIABLE>_FILE` names (secrets of
 * Docker and Kubernetes), or the file `<VARIABLE>` in `$CREDENTIALS_DIRECTORY` (systemd). Null if it is not set. Both a
 * value and a file are a fault: nobody knows which one is meant.
 */
export function findSecret(env: Environment, variable: string): FoundSecret | null {
  const { [variable]: value, [`${variable}_FILE`]: file, CREDENTIALS_DIRECTORY: credentials } = env;
  if (value && file)
    return { value: '', file: null, fault: `is set, and ${variable}_FILE as well: remove one of them` };
  if (value) return { value, file: null, fault: null };
  if (file) return readSecretFile(file);
  const given = credentials ? join(credentials, variable) : null;
  return given !== null && statSync(given, { throwIfNoEntry: false })?.isFile() ? readSecretFile(given) : null;
}

/** Reads a secret from a file: one line, whose end is not part of it. */
export function readSecretFile(file: string): FoundSecret {
  const faulty = (fault: string): FoundSecret => ({ value: '', file, fault });
  try {
    const found = statSync(file);
    if (!found.isFile()) return faulty(`names ${file}, which is not a file`);
    if (found.size > bytesMax) return faulty(`names ${file}, which is too large for a secret`);
    if (process.platform !== 'win32' && (found.mode & 0o022) !== 0)
      return faulty(`names ${file}, which may be written by others: chmod go-w ${JSON.stringify(file)}`);
    const value = readEditedText(file).replace(/\r?\n$/, '');
    if (value === '') return faulty(`names ${file}, which is empty`);
    // The content is not shown: it is probably a secret, in the wrong file.
    return /[\r\n\0]/.test(value)
      ? faulty(`names ${file}, which has more than one line`)
      : { value, file, fault: null };
  } catch (error) {
    return faulty(`names ${file}, which cannot be read: ${errorMessage(error)}`);
  }
}

/** Whether every user of this machine can read the file. Docker, Kubernetes and systemd guard their own folders. */
export function isReadableByAll(file: string, { CREDENTIALS_DIRECTORY: credentials }: Environment): boolean {
  const guarded = ['/run/secrets', '/var/run/secrets', ...(credentials ? [credentials] : [])];
  if (process.platform === 'win32' || guarded.some((folder) => file.startsWith(folder + sep))) return false;
  return ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o004) !== 0;
}
