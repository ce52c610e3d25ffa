import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AirbatchError } from '../../../core/basics/errors.ts';
import { makeFolders } from '../../../core/basics/folders.ts';

/** In earlier versions a checkpoint could race with a commit and lose it (sqlite.org/wal.html, "the WAL-reset bug"). */
const sqliteVersionMin = [3, 51, 3] as const;

/** A ledger of up to this size is checked completely when it is opened (some 100 ms); a larger one as it is read. */
const checkedBytesMax = 64 * 2 ** 20;

/** SQLite's default of 2 MiB is too little for a thousand accounts that pay: each row read 760 pages anew. */
const cacheKiB = 16 * 1_024;

export function isFile(path: string): boolean {
  return path !== '' && path !== ':memory:';
}

export function open(path: string, busyTimeoutMs: number): DatabaseSync {
  if (!isFile(path)) return new DatabaseSync(path);
  makeFolders(dirname(path));
  const isNew = !existsSync(path);
  // SQLite would create the file with the umask's permissions, and for a moment let others open it.
  if (isNew) makeOwn(path);
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  if (isNew) chmodSync(path, 0o600);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = ${busyTimeoutMs};`);
  database.exec(`PRAGMA cache_size = -${cacheKiB}`);
  const pragma = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  // A pragma without effect fails silently, and commits would not be durable.
  const took = pragma('synchronous') === 1 && pragma('journal_mode') === 'wal';
  if (!took || pragma('busy_timeout') !== busyTimeoutMs) {
    throw new AirbatchError('LEDGER_IO', `the ledger ${path} cannot be made durable on this file system`, {
      hint: 'Keep the ledger on a local disk, not on a network share.',
    });
  }
  if (!isNew && statSync(path).size <= checkedBytesMax) checkWhole(database, path);
  return database;
}

/** Another process may be first. SQLite tries again, and reports any other error. */
function makeOwn(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // Ignored: SQLite tries again and reports the error.
  }
}

/** Finds damage by a bad disk or a careless copy now, and not in the middle of a payout. */
function checkWhole(database: DatabaseSync, path: string): void {
  const [found] = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {});
  if (found !== 'ok') throw new AirbatchError('LEDGER_DAMAGED', `the ledger ${path} is damaged: ${String(found)}`);
}

export function checkVersion(): void {
  const probe = new DatabaseSync(':memory:');
  const version = String(Object.values(probe.prepare('SELECT sqlite_version() AS version').get() ?? {})[0]);
  probe.close();
  const parts = version.split('.').map(Number);
  for (const [index, least] of sqliteVersionMin.entries()) {
    const part = parts[index] ?? 0;
    if (part > least) return;
    if (part < least) {
      throw new AirbatchError('LEDGER_VERSION', `SQLite ${version} can lose committed writes`, {
        hint: 'Use Node.js 24.15 or later.',
      });
    }
  }
}
