import { AsyncLocalStorage } from 'node:async_hooks';
import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { assert } from '../../core/basics/assert.ts';
import { AirbatchError, type ErrorCode, errorMessage } from '../../core/basics/errors.ts';
import { makeFolders } from '../../core/basics/folders.ts';
import { systemClock } from '../../core/time/clock.ts';
import { type CheckpointLimits, makeCheckpoints } from './checkpoints.ts';
import type { Database, Queryable, SqlValue } from './database.ts';
import { type AssertInPlace, makeAssertInPlace } from './file-in-place.ts';
import { prepareStatement, readAll, readValues, type Statement } from './statement.ts';
import { makeWalSync, type SyncFile, type WalSync } from './wal-sync.ts';

/** How long a statement waits by default for another process's transaction before it gives up. */
const defaultBusyTimeoutMs = 5_000;

/** Before this version a checkpoint could race with a commit and lose it (sqlite.org/wal.html, "the WAL-reset bug"). */
const sqliteVersionMin = [3, 51, 3] as const;

/**
 * A ledger of up to so many bytes is checked as a whole when it is opened (some 100 ms); a larger one as it is read.
 */
const checkedBytesMax = 64 * 2 ** 20;

/** Prepared statements kept at once. The program has well under this many constant texts. */
const statementsMax = 200;

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
  const { busyTimeoutMs = defaultBusyTimeoutMs, syncFile } = options;
  checkVersion();
  const database = attempt(path, () => open(path, busyTimeoutMs));
  // Of what is deleted or overwritten zeros are made in place: people are forgotten without writing gigabytes anew.
  if (isFile(path)) database.exec('PRAGMA secure_delete = ON');
  // Where a path leads through links, SQLite's files lie beside the last one.
  const location = database.location();
  const assertInPlace = isFile(path) ? makeAssertInPlace(path) : () => undefined;
  const wal = location === null ? null : makeWalSync(`${location}-wal`, syncFile);
  const checkpoints = location === null ? null : makeCheckpoints(database, location, options.checkpoints);
  const committed = () => {
    wal?.committed();
    checkpoints?.committed();
  };
  const ready = async () => {
    assertInPlace();
    await checkpoints?.room();
    wal?.assertSound();
  };
  const statements = new Map<string, Statement>();

  const prepare = (sql: string): Statement => {
    let statement = statements.get(sql);
    if (!statement) {
      assert(statements.size < statementsMax, 'SQL is constant text: too many different statements');
      statement = prepareStatement(database, sql);
      statements.set(sql, statement);
    }
    return statement;
  };
  const direct: Queryable = {
    query: async <Result extends object>(sql: string, params: readonly SqlValue[] = []) =>
      attempt(path, () => readAll<Result>(prepare(sql), params)),
    values: async <Values extends readonly SqlValue[]>(sql: string, params: readonly SqlValue[] = []) =>
      attempt(path, () => readValues<Values>(prepare(sql), params)),
    // Without a call back: it is run several times a row.
    execute: async (sql, params = []) => {
      try {
        return Number(prepare(sql).prepared.run(...params).changes);
      } catch (error) {
        throw asLedgerError(path, error);
      }
    },
  };

  // One connection serves everyone, so whoever comes while a transaction is open waits for its end.
  let tail: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const inside = new AsyncLocalStorage<true>();
  const inTurn = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    // It would wait for the end of the transaction that waits for it.
    assert(!inside.getStore(), 'within a transaction, statements run on the transaction');
    const before = tail;
    waiting += 1;
    const mine = (async () => {
      if (waiting > 1) await before;
      return work();
    })();
    tail = mine.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await mine;
    } finally {
      waiting -= 1;
    }
  };

  /** What is read may be a commit that is not durable yet, of which nobody is to hear. */
  const whenDurable = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = await inTurn(work);
    await wal?.durable();
    return result;
  };

  // What a snapshot sees stays in the log until it ends, for which the main thread would wait in SQLite: in vain, as
  // it ends there.
  const snapshots = new Set<Promise<unknown>>();
  const whenUnread = async (work: () => Promise<void>): Promise<void> => {
    while (snapshots.size > 0) await Promise.allSettled(snapshots);
    await whenDurable(work);
  };

  const truncateLog = async () => {
    wal?.committed();
    const until = systemClock.monotonic() + busyTimeoutMs;
    for (;;) {
      const { busy } = attempt(path, () => database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()) ?? {};
      if (busy === 0) return;
      if (systemClock.monotonic() >= until) {
        throw new AirbatchError('LEDGER_BUSY', `the log of the ledger ${path} is still being read`);
      }
      // Another process is bringing the log into the database, for which SQLite does not wait.
      await systemClock.sleep(20);
    }
  };

  return {
    query: (sql, params) => whenDurable(() => direct.query(sql, params)),
    values: (sql, params) => whenDurable(() => direct.values(sql, params)),
    execute: (sql, params) =>
      whenDurable(async () => {
        await ready();
        const changed = await direct.execute(sql, params);
        committed();
        return changed;
      }),
    transact: (work) =>
      whenDurable(async () => {
        await ready();
        attempt(path, () => database.exec('BEGIN IMMEDIATE'));
        try {
          const result = await inside.run(true, () => work(direct));
          attempt(path, () => database.exec('COMMIT'));
          committed();
          return result;
        } catch (error) {
          // After SQLITE_FULL and the like, SQLite has already rolled back by itself.
          if (database.isTransaction) database.exec('ROLLBACK');
          throw error;
        }
      }),
    // What has no file has no second connection, so there a snapshot takes its turn like a transaction.
    snapshot: (work) => {
      if (!isFile(path)) return inTurn(() => work(direct));
      const read = readSnapshot(path, busyTimeoutMs, { wal, assertInPlace }, work);
      snapshots.add(read);
      const end = () => void snapshots.delete(read);
      read.then(end, end);
      return read;
    },
    compact: () =>
      whenUnread(async () => {
        wal?.assertSound();
        await checkpoints?.idle();
        attempt(path, () => database.exec('VACUUM'));
        await truncateLog();
      }),
    emptyLog: () =>
      whenUnread(async () => {
        wal?.assertSound();
        await checkpoints?.idle();
        await truncateLog();
      }),
    close: () =>
      inTurn(async () => {
        // Whoever waits for the disk still hears of it; so does a disk that refused, through them.
        await wal?.durable().catch(() => undefined);
        wal?.close();
        await checkpoints?.close();
        statements.clear();
        database.close();
      }),
  };
}

/** A connection of its own whose one read transaction sees the database as it was when it began. */
async function readSnapshot<Result>(
  path: string,
  busyTimeoutMs: number,
  { wal, assertInPlace }: { wal: WalSync | null; assertInPlace: AssertInPlace },
  work: (view: Queryable) => Promise<Result>,
): Promise<Result> {
  const database = attempt(path, () => new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs }));
  try {
    const statements = new Map<string, Statement>();
    const prepare = (sql: string): Statement => {
      const statement = statements.get(sql) ?? prepareStatement(database, sql);
      statements.set(sql, statement);
      return statement;
    };
    attempt(path, () => {
      database.exec('BEGIN');
      // The transaction sees what is there at its first read, not at its BEGIN.
      database.prepare('SELECT COUNT(*) FROM sqlite_schema').get();
    });
    await wal?.allDurable();
    // Only after it was opened: by its path, which another file may have taken.
    assertInPlace();
    return await work({
      query: async <Row extends object>(sql: string, params: readonly SqlValue[] = []) =>
        attempt(path, () => readAll<Row>(prepare(sql), params)),
      values: async <Values extends readonly SqlValue[]>(sql: string, params: readonly SqlValue[] = []) =>
        attempt(path, () => readValues<Values>(prepare(sql), params)),
      execute: async (sql) => assert(false, `a snapshot only reads: ${sql}`) as never,
    });
  } finally {
    database.close();
  }
}

function isFile(path: string): boolean {
  return path !== '' && path !== ':memory:';
}

function open(path: string, busyTimeoutMs: number): DatabaseSync {
  if (!isFile(path)) return new DatabaseSync(path);
  makeFolders(dirname(path));
  const isNew = !existsSync(path);
  // SQLite would make it under the umask, and for a moment let others open it.
  if (isNew) makeOwn(path);
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  if (isNew) chmodSync(path, 0o600);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = ${busyTimeoutMs};`);
  const pragma = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  // A pragma that did not take fails silently, and the promise of durability with it.
  const took = pragma('synchronous') === 1 && pragma('journal_mode') === 'wal';
  if (!took || pragma('busy_timeout') !== busyTimeoutMs) {
    throw new AirbatchError('LEDGER_IO', `the ledger ${path} cannot be made durable on this file system`, {
      hint: 'Keep the ledger on a local disk, not on a network share.',
    });
  }
  if (!isNew && statSync(path).size <= checkedBytesMax) checkWhole(database, path);
  return database;
}

/** Another process may be first. What else keeps the file from being made is told by SQLite, which tries it again. */
function makeOwn(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // As said above.
  }
}

/** What a bad disk or a careless copy has done shows here, and not in the middle of a payout. */
function checkWhole(database: DatabaseSync, path: string): void {
  const [found] = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {});
  if (found !== 'ok') throw new AirbatchError('LEDGER_DAMAGED', `the ledger ${path} is damaged: ${String(found)}`);
}

function checkVersion(): void {
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

/** SQLite's primary result codes and what they mean for a ledger. */
const codes: Record<number, ErrorCode> = {
  5: 'LEDGER_BUSY',
  6: 'LEDGER_BUSY',
  8: 'LEDGER_IO',
  10: 'LEDGER_IO',
  11: 'LEDGER_DAMAGED',
  13: 'LEDGER_FULL',
  14: 'LEDGER_IO',
  26: 'LEDGER_DAMAGED',
};

/**
 * Extended codes that say more than their primary one: `SQLITE_IOERR_SHMSIZE`, no room for the memory that connections
 * share.
 */
const extendedCodes: Record<number, ErrorCode> = { 4874: 'LEDGER_FULL' };

/** Those of a ledger that is there, and that this person may not open or write. */
const shutCodes: ReadonlySet<number> = new Set([8, 14]);

function attempt<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw asLedgerError(path, error);
  }
}

/** What SQLite or the file system fails with, as trouble of the ledger; anything else as it is. */
function asLedgerError(path: string, error: unknown): unknown {
  const { errcode: resultCode, syscall, code: syscallCode } = error as { errcode?: number } & NodeJS.ErrnoException;
  const ofSqlite = resultCode === undefined ? undefined : (extendedCodes[resultCode] ?? codes[resultCode & 0xff]);
  const code = ofSqlite ?? (syscall === undefined ? undefined : 'LEDGER_IO');
  if (!code) return error;
  const isShut = ofSqlite === undefined ? syscallCode === 'EACCES' : shutCodes.has((resultCode ?? 0) & 0xff);
  return new AirbatchError(code, `the ledger ${path}: ${errorMessage(error)}`, {
    cause: error,
    ...(isShut ? { hint: 'Check that you may read and write the ledger and its folder: ask whoever keeps it.' } : {}),
  });
}
