import type { CheckpointLimits } from './checkpoints.ts';
import type { Database } from './database.ts';
import { makeDurableLog } from './durable-log.ts';
import { makeAssertInPlace } from './file-in-place.ts';
import { attempt } from './sqlite-errors.ts';
import { checkVersion, isFile, open } from './sqlite-file.ts';
import { makeSnapshots, readSnapshot } from './sqlite-snapshot.ts';
import { inTransaction, makeStatements } from './sqlite-statements.ts';
import { makeTurns } from './turns.ts';
import type { SyncFile } from './wal-sync.ts';

/** How long a statement waits by default for another process's transaction before it gives up. */
const defaultBusyTimeoutMs = 5_000;

export interface SqliteOptions {
  busyTimeoutMs?: number;
  /** What waits for the disk. Default: `fdatasync`. */
  syncFile?: SyncFile;
  /** Default: as suits a disk. Tests have smaller ones. */
  checkpoints?: CheckpointLimits;
}

/**
 * Opens (and creates, readable by its owner alone) the SQLite database at `path`. Two are not durable: `:memory:`, and
 * `''`, which outgrows memory into a file without a name, so that it is gone with the process however that ends.
 * Neither has snapshots beside its transactions.
 */
export function openSqlite(path: string, options: SqliteOptions = {}): Database {
  const { busyTimeoutMs = defaultBusyTimeoutMs, syncFile, checkpoints } = options;
  checkVersion();
  const database = attempt(path, () => open(path, busyTimeoutMs));
  // Of what is deleted or overwritten zeros are made in place: people are forgotten without writing gigabytes anew.
  if (isFile(path)) database.exec('PRAGMA secure_delete = ON');
  const assertInPlace = isFile(path) ? makeAssertInPlace(path) : () => undefined;
  const { inTurn, inside } = makeTurns();
  const log = makeDurableLog(path, database, { busyTimeoutMs, syncFile, checkpoints, assertInPlace, inTurn });
  const { direct, clear } = makeStatements(path, database);
  const ready = async () => {
    assertInPlace();
    await log.ready();
  };

  /** What is read may be a commit that is not durable yet, of which nobody is to hear. */
  const whenDurable = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = await inTurn(work);
    await log.wal?.durable();
    return result;
  };

  const snapshots = makeSnapshots();
  const whenUnread = async (work: () => Promise<void>): Promise<void> => {
    await snapshots.ended();
    await whenDurable(work);
  };

  return {
    query: (sql, params) => whenDurable(() => direct.query(sql, params)),
    values: (sql, params) => whenDurable(() => direct.values(sql, params)),
    execute: (sql, params) =>
      whenDurable(async () => {
        await ready();
        const changed = await direct.execute(sql, params);
        log.committed();
        return changed;
      }),
    transact: (work) =>
      whenDurable(async () => {
        await ready();
        const result = await inTransaction(path, database, () => inside(() => work(direct)));
        log.committed();
        return result;
      }),
    // What has no file has no second connection, so there a snapshot takes its turn like a transaction.
    snapshot: (work) =>
      isFile(path)
        ? snapshots.keep(readSnapshot(path, busyTimeoutMs, { wal: log.wal, assertInPlace }, work))
        : inTurn(() => work(direct)),
    compact: () =>
      whenUnread(async () => {
        await log.idle();
        attempt(path, () => database.exec('VACUUM'));
        await log.truncate();
      }),
    emptyLog: () =>
      whenUnread(async () => {
        await log.idle();
        await log.truncate();
      }),
    close: () =>
      inTurn(async () => {
        await log.close();
        clear();
        database.close();
      }),
  };
}
