import type { DatabaseSync } from 'node:sqlite';
import type { Database, Integrity, Queryable } from '../database.ts';
import { type GroupTransaction, makeGroupCommit, usualGroupsApartMs } from '../group-commit.ts';
import type { CheckpointLimits } from './checkpoints.ts';
import { makeDurableLog } from './durable-log.ts';
import { makeAssertInPlace } from './file-in-place.ts';
import { attempt } from './sqlite-errors.ts';
import { checkVersion, isFile, open } from './sqlite-file.ts';
import { makeSnapshots, readSnapshot } from './sqlite-snapshot.ts';
import { inTransaction, makeStatements } from './sqlite-statements.ts';
import { makeTurns, type Turns } from './turns.ts';
import type { SyncFile } from './wal-sync.ts';

async function hasNoTables(direct: Queryable): Promise<boolean> {
  return (await direct.query("SELECT 1 AS one FROM sqlite_master WHERE name = 'migrations'")).length === 0;
}

async function checkPages(direct: Queryable): Promise<Integrity> {
  const found = await direct.values<[string]>('PRAGMA integrity_check(10)');
  return { looked_at: 'everything', faults: found.map(([fault]) => fault).filter((fault) => fault !== 'ok') };
}

function groupOn(database: DatabaseSync, direct: Queryable, inside: Turns['inside']): GroupTransaction {
  let isFirst = true;
  return {
    run: (work) => inside(() => work(direct)),
    async savepoint() {
      if (!isFirst) await direct.execute('RELEASE member');
      isFirst = false;
      await direct.execute('SAVEPOINT member');
    },
    undo: async () => void (await direct.execute('ROLLBACK TO member')),
    isEnded: () => !database.isTransaction,
  };
}

/** How long a statement waits by default for a transaction of another process. */
const defaultBusyTimeoutMs = 5_000;

export interface SqliteOptions {
  busyTimeoutMs?: number;
  /** Writes a file to the disk. Default: `fdatasync`. */
  syncFile?: SyncFile;
  /** The defaults suit a disk; tests use smaller ones. */
  checkpoints?: CheckpointLimits;
  /** How long transactions that meet others wait for more of them (ms); 0 where the clock is not the machine's. */
  groupsApartMs?: number;
}

/**
 * Opens the SQLite database at `path`, and creates it if it is missing, readable only by its owner. Two paths are not
 * durable: `:memory:`, and `''`, which moves large contents to a file without a name, so that it disappears with the
 * process however that ends. For these two, a snapshot takes its turn like a transaction.
 */
export function openSqlite(path: string, options: SqliteOptions = {}): Database {
  const { busyTimeoutMs = defaultBusyTimeoutMs, syncFile, checkpoints, groupsApartMs = usualGroupsApartMs } = options;
  checkVersion();
  const database = attempt(path, () => open(path, busyTimeoutMs));
  // Overwrites deleted content with zeros in place: erasing people's data does not rewrite gigabytes.
  if (isFile(path)) database.exec('PRAGMA secure_delete = ON');
  const assertInPlace = isFile(path) ? makeAssertInPlace(path) : () => undefined;
  const { requireOutside, inTurn, inside } = makeTurns();
  const log = makeDurableLog(path, database, { busyTimeoutMs, syncFile, checkpoints, assertInPlace, inTurn });
  const { direct, clear } = makeStatements(path, database);

  /** A read may see a commit that is not durable yet, and nobody may learn of it before it is. */
  const whenDurable = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = await inTurn(work);
    await log.wal?.durable();
    return result;
  };

  const transact = makeGroupCommit({
    requireOutside,
    transaction: (work) =>
      inTurn(async () => {
        await log.ready();
        await inTransaction(path, database, () => work(groupOn(database, direct, inside)));
        log.committed();
        return { durable: Promise.resolve(log.wal?.durable()) };
      }),
    // In memory, a commit costs nothing.
    groupsApartMs: isFile(path) ? groupsApartMs : 0,
  });
  const snapshots = makeSnapshots();
  const whenUnread = async (work: () => void): Promise<void> => {
    await snapshots.ended();
    await whenDurable(async () => {
      await log.idle();
      work();
      await log.truncate();
    });
  };

  return {
    query: (sql, params) => whenDurable(() => direct.query(sql, params)),
    values: (sql, params) => whenDurable(() => direct.values(sql, params)),
    execute: (sql, params) =>
      whenDurable(async () => {
        await log.ready();
        const changed = await direct.execute(sql, params);
        log.committed();
        return changed;
      }),
    transact,
    // Without a file there is no second connection, so a snapshot takes its turn like a transaction.
    snapshot: (work) =>
      isFile(path)
        ? snapshots.keep(readSnapshot(path, busyTimeoutMs, { wal: log.wal, assertInPlace }, work))
        : inTurn(() => work(direct)),
    compact: () => whenUnread(() => attempt(path, () => database.exec('VACUUM'))),
    emptyLog: () => whenUnread(() => undefined),
    // Processes on one machine look often enough.
    listen: () => () => undefined,
    isEmpty: () => inTurn(() => hasNoTables(direct)),
    checkIntegrity: () => inTurn(() => checkPages(direct)),
    close: () =>
      inTurn(async () => {
        await log.close();
        clear();
        database.close();
      }),
  };
}
