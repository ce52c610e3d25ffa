import { DatabaseSync } from 'node:sqlite';
import { assert } from '../../../core/basics/assert.ts';
import type { Queryable, SqlValue } from '../database.ts';
import type { AssertInPlace } from './file-in-place.ts';
import { attempt } from './sqlite-errors.ts';
import { prepareStatement, readAll, readValues, type Statement } from './statement.ts';
import type { WalSync } from './wal-sync.ts';

/** Reads through a separate connection, whose one read transaction sees the database as it was when it began. */
export async function readSnapshot<Result>(
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
      // The transaction sees the state of its first read, not of its BEGIN.
      database.prepare('SELECT COUNT(*) FROM sqlite_schema').get();
    });
    await wal?.allDurable();
    // Checked after opening: another file may have taken the path meanwhile.
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

interface Snapshots {
  keep<Result>(read: Promise<Result>): Promise<Result>;
  /** Resolves when no snapshot is open. */
  ended(): Promise<void>;
}

/**
 * The open snapshots. The log keeps what a snapshot sees until it ends. If SQLite waited for that on the main thread,
 * it would wait for ever, since the snapshot ends there.
 */
export function makeSnapshots(): Snapshots {
  const open = new Set<Promise<unknown>>();
  return {
    keep(read) {
      open.add(read);
      const end = () => void open.delete(read);
      read.then(end, end);
      return read;
    },
    async ended() {
      while (open.size > 0) await Promise.allSettled(open);
    },
  };
}
