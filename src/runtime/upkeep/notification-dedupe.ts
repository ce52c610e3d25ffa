import { createHash } from 'node:crypto';
import { closeSync, lstatSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { dayMs } from '../../core/time/clock.ts';
import type { NotificationDedupe } from '../../notify/unopened.ts';

/** The name of a sent notification contains its day. After two days nothing asks for it. */
const keptMs = 2 * dayMs;

/** Other files in that folder are not deleted: in a folder that everybody may write to, a link may lead anywhere. */
const noteName = /^[0-9a-f]{32}$/;

/**
 * Records sent notifications as empty files: in `told` next to the ledger and, if that cannot be written, in the folder
 * for temporary files, which is usually on another disk.
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
      for (const folder of folders) {
        if (note(folder, digestOf(name), now())) return true;
        // Another program was faster.
        if (isOurs(join(folder, digestOf(name)))) return false;
      }
      return true;
    },
    release(name) {
      for (const path of paths(name)) attempt(() => rmSync(path, { force: true }));
    },
  };
}

/** In a folder that everybody may write to, another user's file proves nothing. */
function isOurs(path: string): boolean {
  return attempt(() => lstatSync(path).uid === (process.getuid?.() ?? 0)) ?? false;
}

/** False if the note cannot be written there. */
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
