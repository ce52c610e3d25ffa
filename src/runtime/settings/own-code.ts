import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AirbatchError } from '../../core/basics/errors.ts';

/** Write permission for the group and for everybody. */
const writtenByOthers = 0o022;

/**
 * Allows a file that runs as code (a configuration or a job in TypeScript or JavaScript, a job with a command) only if
 * nobody but this user and root can change it, because it runs with the credentials that pay. Checks the file, its
 * folder, and the targets of links. Throws `CONFIG_INVALID`. On a system without user ids nothing is checked.
 */
export function requireOwnCode(path: string): void {
  const own = process.geteuid?.();
  if (own === undefined) return;
  const real = realpathSync(path);
  for (const place of new Set([real, dirname(real), dirname(path)])) {
    const { uid, mode } = statSync(place);
    if (uid !== own && uid !== 0)
      throw refused(
        path,
        `${place} belongs to another user (uid ${uid})`,
        'Run airbatch as that user, or make it yours',
      );
    if ((mode & writtenByOthers) !== 0)
      throw refused(path, `${place} may be written by others`, `Run: chmod go-w ${JSON.stringify(place)}`);
  }
}

function refused(path: string, why: string, what: string): AirbatchError {
  return new AirbatchError('CONFIG_INVALID', `${path} runs as code, and ${why}`, {
    hint: `${what}. Anyone who can change it can pay with your credentials.`,
  });
}
