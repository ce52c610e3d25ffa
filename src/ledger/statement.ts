import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SqlValue } from './database.ts';

/** A prepared statement, with the names of its columns, and a record of them that has no values. */
export interface Statement {
  prepared: StatementSync;
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
  return { prepared, ...shapeOf(prepared) };
}

/**
 * SQLite plans with the value of a parameter that stands as a limit, and so plans anew whenever one is bound: that takes two to three
 * times as long as to read a row. It does not look into an expression.
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
  // A `SELECT *` has more columns when another process brought the tables to a later schema meanwhile.
  if (found[0] && found[0].length !== statement.columns.length) Object.assign(statement, shapeOf(statement.prepared));
  const { columns, blank } = statement;
  return found.map((values) => {
    const row = { ...blank };
    for (let index = 0; index < columns.length; index++) row[columns[index] as string] = values[index] as SqlValue;
    return row as Row;
  });
}

function shapeOf(prepared: StatementSync): Pick<Statement, 'columns' | 'blank'> {
  const columns = prepared.columns().map(({ name }) => name);
  // By `JSON.parse`: V8 makes a dictionary of what is given more than a dozen keys one by one, and of every copy of it.
  const blank = JSON.parse(JSON.stringify(Object.fromEntries(columns.map((name) => [name, null]))));
  return { columns, blank };
}
