import type { Queryable, SqlValue } from './database.ts';
import { places } from './filled-lists.ts';
import { readColumn } from './read.ts';

type Columns<Row> = { [Column in keyof Row]: SqlValue };

/**
 * Inserts one record, whose members are columns of the table: the database refuses any other. `ending` follows the
 * values, such as `ON CONFLICT DO NOTHING`. Resolves to how many records were written. For many records: `makeInsert`.
 */
export function insertRecord<Row extends Columns<Row>>(
  tx: Queryable,
  table: string,
  record: Row,
  ending = '',
): Promise<number> {
  const names = Object.keys(record);
  const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${places(names.length)}) ${ending}`;
  return tx.execute(sql, Object.values(record) as SqlValue[]);
}

/** The same; if there is a record with the same key, it gets the other members. */
export async function saveRecord<Row extends Columns<Row>>(
  tx: Queryable,
  table: string,
  key: readonly (keyof Row & string)[],
  record: Row,
): Promise<void> {
  const others = Object.keys(record).filter((name) => !(key as readonly string[]).includes(name));
  const changes = others.map((name) => `${name} = excluded.${name}`).join(', ');
  await insertRecord(tx, table, record, `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${changes}`);
}

/** A table of the values that belong to records of another one, such as the roles of people. */
export function makeValueTable(table: string, key: string, column: string) {
  const readSql = `SELECT ${column} FROM ${table} WHERE ${key} = ? ORDER BY ${column}`;
  const insertSql = `INSERT INTO ${table} (${key}, ${column}) VALUES (?, ?)`;
  return {
    read: (db: Queryable, of: string) => readColumn<string>(db, readSql, [of]),
    /** Replaces the values. */
    async write(tx: Queryable, of: string, values: readonly string[]): Promise<void> {
      await tx.execute(`DELETE FROM ${table} WHERE ${key} = ?`, [of]);
      for (const value of values) await tx.execute(insertSql, [of, value]);
    },
  };
}
