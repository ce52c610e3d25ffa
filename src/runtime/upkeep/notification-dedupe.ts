import { createHash } from 'node:crypto';
import { closeSync, lstatSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { dayMs } from '../../core/time/clock.ts';
import type { NotificationDedupe } from '../../notify/unopened.ts';

/** What was told names its day: after two it is asked for no more. */
const keptMs = 2 * dayMs;

/** What else lies there is not ours to drop: where everybody may write, a link may lead anywhere. */
const noteName = /^[0-9a-f]{32}$/;

/**
 * Notes what was told as empty files: in `told` beside the ledger, and where that cannot be written in the folder for
 * temporary files, which is mostly on another disk.
 */
export function makeNotificationDedupe(
  ledgerPath: string,
  now: () => number,
  temporary = tmpdir(),
): NotificationDedupe {
  const folders = [join(dirname(ledgerPath), 'told'), join(temporary, `airbatch-told-${digestOf(ledgerPath)}`)];
  const paths = (name: string) => folders.map((folder) => join(folder, digestOf(name)));
  return {
    claim(name) {
      if (paths(name).some(isOurs)) return false;
      folders.some((folder) => note(folder, digestOf(name), now()));
      return true;
    },
    giveBack(name) {
      for (const path of paths(name)) attempt(() => rmSync(path, { force: true }));
    },
  };
}

/** In a folder that everybody may write, another user's file says nothing. */
function isOurs(path: string): boolean {
  return attempt(() => lstatSync(path).uid === (process.getuid?.() ?? 0)) ?? false;
}

/** False where it cannot be noted there. */
function note(folder: string, name: string, now: number): boolean {
  const isNoted = attempt(() => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    closeSync(openSync(join(folder, name), 'wx', 0o600));
    for (const other of readdirSync(folder).filter((one) => noteName.test(one))) {
      const path = join(folder, other);
      if (lstatSync(path).mtimeMs < now - keptMs) rmSync(path, { force: true });
    }
    return true;
  });
  return isNoted ?? false;
}

function attempt<Result>(work: () => Result): Result | null {
  try {
    return work();
  } catch {
    return null;
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
