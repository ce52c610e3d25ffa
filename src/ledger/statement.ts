import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SqlValue } from './database.ts';

/** A prepared statement, with the names of its columns. */
export interface Statement {
  prepared: StatementSync;
  columns: readonly string[];
}

/**
 * Rows come as plain values and are made into objects here: those that `node:sqlite` makes are dictionaries, which take
 * longer to make and several times as long to copy, and a row is copied at every change of its state.
 */
export function prepareStatement(database: DatabaseSync, sql: string): Statement {
  const prepared = database.prepare(sql);
  prepared.setReturnArrays(true);
  return { prepared, columns: namesOf(prepared) };
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
  if (found[0] && found[0].length !== statement.columns.length) statement.columns = namesOf(statement.prepared);
  const { columns } = statement;
  return found.map((values) => {
    const row: Record<string, SqlValue> = {};
    for (let index = 0; index < columns.length; index++) row[columns[index] as string] = values[index] as SqlValue;
    return row as Row;
  });
}

function namesOf(prepared: StatementSync): string[] {
  return prepared.columns().map(({ name }) => name);
}
