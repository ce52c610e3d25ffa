import { closeSync, openSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { attempt } from './sqlite-errors.ts';

/** Pages (of 4 KiB) that are copied in one step, on a thread of its own. */
const pagesPerStep = 1_000;

/**
 * Copies the SQLite database at `path` to a new file `to`, as it is now, whatever is written meanwhile. It blocks no
 * writer, whether in this process or in another.
 */
export async function copySqlite(path: string, to: string): Promise<void> {
  const database = attempt(path, () => new DatabaseSync(path, { readOnly: true }));
  try {
    attempt(path, () => {
      // Without a read transaction, each commit of another process would make the copy begin again.
      database.exec('BEGIN');
      database.prepare('SELECT COUNT(*) FROM sqlite_schema').get();
    });
    // SQLite would create the file with the umask's permissions.
    closeSync(openSync(to, 'wx', 0o600));
    await backup(database, to, { rate: pagesPerStep });
  } finally {
    database.close();
  }
}
