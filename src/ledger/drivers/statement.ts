import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SqlValue } from './database.ts';

export interface Statement {
  prepared: StatementSync;
  /** What its rows are made of; null until the first one is read, since most statements read none. */
  shape: Shape | null;
}

/** The names of a statement's columns, and a record of them that has no values. */
interface Shape {
  columns: readonly string[];
  blank: Readonly<Record<string, SqlValue>>;
}

/**
 * Rows come as plain values and are made into objects here: those that `node:sqlite` makes are dictionaries, which take
 * longer to make and twenty times as long to copy, and a row is copied at every change of its state.
 */
export function prepareStatement(database: DatabaseSync, sql: string): Statement {
  const prepared = database.prepare(withUnreadLimit(sql));
  prepared.setReturnArrays(true);
  return { prepared, shape: null };
}

/**
 * SQLite plans with the value of a parameter that stands as a limit, and so plans anew whenever one is bound: that
 * takes two to three times as long as to read a row. It does not look into an expression.
 */
function withUnreadLimit(sql: string): string {
  return sql.replaceAll('LIMIT ?', 'LIMIT +?');
}

export function readValues<Values extends readonly SqlValue[]>(
  { prepared }: Statement,
  params: readonly SqlValue[],
): Values[] {
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

/** A `SELECT *` has more columns when another process brought the tables to a later schema meanwhile. */
function shapeOf(statement: Statement, width: number): Shape {
  if (statement.shape?.columns.length !== width) statement.shape = readShape(statement.prepared);
  return statement.shape;
}

function readShape(prepared: StatementSync): Shape {
  const columns = prepared.columns().map(({ name }) => name);
  // By `JSON.parse`: V8 makes a dictionary of what is given more than a dozen keys one by one, and of every copy of it.
  const blank = JSON.parse(JSON.stringify(Object.fromEntries(columns.map((name) => [name, null]))));
  return { columns, blank };
}
