import type { DatabaseSync } from 'node:sqlite';
import { assertIntegers, type Queryable, type SqlValue } from '../database.ts';
import { asLedgerError, attempt } from './sqlite-errors.ts';
import { prepareStatement, readAll, readValues, type Statement } from './statement.ts';

/**
 * The most prepared statements that are kept; what comes after them is prepared each time. A new ledger runs some 150
 * for its migrations; the program has fewer, and seldom one for a rare set of changed columns.
 */
const statementsMax = 500;

/** Runs statements immediately on the one connection; each is prepared at its first use. */
export function makeStatements(path: string, database: DatabaseSync): { direct: Queryable; clear: () => void } {
  const statements = new Map<string, Statement>();

  const prepare = (sql: string): Statement => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = prepareStatement(database, sql);
      if (statements.size < statementsMax) statements.set(sql, statement);
    }
    return statement;
  };
  const direct: Queryable = {
    query: async <Result extends object>(sql: string, params: readonly SqlValue[] = []) =>
      attempt(path, () => readAll<Result>(prepare(sql), params)),
    values: async <Values extends readonly SqlValue[]>(sql: string, params: readonly SqlValue[] = []) =>
      attempt(path, () => readValues<Values>(prepare(sql), params)),
    // No callback here: this runs several times for each row.
    execute: async (sql, params = []) => {
      assertIntegers(params);
      try {
        return Number(prepare(sql).prepared.run(...params).changes);
      } catch (error) {
        throw asLedgerError(path, error);
      }
    },
  };
  return { direct, clear: () => statements.clear() };
}

export async function inTransaction<Result>(
  path: string,
  database: DatabaseSync,
  work: () => Promise<Result>,
): Promise<Result> {
  attempt(path, () => database.exec('BEGIN IMMEDIATE'));
  try {
    const result = await work();
    attempt(path, () => database.exec('COMMIT'));
    return result;
  } catch (error) {
    // After SQLITE_FULL and similar errors, SQLite has already rolled back.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
