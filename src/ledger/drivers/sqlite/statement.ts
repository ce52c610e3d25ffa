import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { assertIntegers, type SqlValue } from '../database.ts';

export interface Statement {
  prepared: StatementSync;
  /** The shape of its rows; null until the first one is read, since most statements return none. */
  shape: Shape | null;
}

/** The names of a statement's columns, and a record with nulls as values. */
interface Shape {
  columns: readonly string[];
  blank: Readonly<Record<string, SqlValue>>;
}

/**
 * Prepares a statement. It returns rows as arrays, from which this file makes objects. The objects of `node:sqlite` are
 * in V8's dictionary mode: they take longer to make and twenty times as long to copy, and a row is copied at every
 * change of its state.
 */
export function prepareStatement(database: DatabaseSync, sql: string): Statement {
  const prepared = database.prepare(toSqlite(sql));
  prepared.setReturnArrays(true);
  return { prepared, shape: null };
}

/**
 * The ledger's SQL as SQLite runs it.
 *
 * - SQLite plans with the value of a parameter that is a limit, so it would plan the query again whenever one is bound.
 *   That takes two to three times as long as reading a row. SQLite does not look into an expression such as `+?`.
 * - `ledger_announce(…)` does nothing: nobody listens. `ledger_history()` is null: a file has no server.
 * - `ledger_now(?)` is the clock of everybody who shares the ledger: here, the machine's, which the parameter gives.
 */
function toSqlite(sql: string): string {
  return sql
    .replaceAll('LIMIT ?', 'LIMIT +?')
    .replaceAll('ledger_now(?)', '?')
    .replaceAll('ledger_announce(', '(')
    .replaceAll('ledger_history()', 'NULL');
}

export function readValues<Values extends readonly SqlValue[]>(
  { prepared }: Statement,
  params: readonly SqlValue[],
): Values[] {
  assertIntegers(params);
  return prepared.all(...params) as unknown as Values[];
}

export function readAll<Row extends object>(statement: Statement, params: readonly SqlValue[]): Row[] {
  const found = readValues<SqlValue[]>(statement, params);
  const [first] = found;
  if (!first) return [];
  const { columns, blank } = shapeOf(statement, first.length);
  return found.map((values) => {
    const row = { ...blank };
    for (let index = 0; index < columns.length; index++) row[columns[index] as string] = values[index] as SqlValue;
    return row as Row;
  });
}

/** A `SELECT *` returns more columns if another process has migrated the tables meanwhile. */
function shapeOf(statement: Statement, width: number): Shape {
  if (statement.shape?.columns.length !== width) statement.shape = readShape(statement.prepared);
  return statement.shape;
}

function readShape(prepared: StatementSync): Shape {
  const columns = prepared.columns().map(({ name }) => name);
  // `JSON.parse`, because V8 puts an object with more than a dozen keys that are added one by one, and every copy of
  // it, into dictionary mode.
  const blank = JSON.parse(JSON.stringify(Object.fromEntries(columns.map((name) => [name, null]))));
  return { columns, blank };
}
