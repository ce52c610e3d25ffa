import { createHash, type Hash } from 'node:crypto';
import type { Queryable, SqlValue } from '../drivers/database.ts';
import { places } from '../drivers/filled-lists.ts';
import { makeInsert } from '../drivers/insert.ts';

/** A table of the ledger: its columns, and those of its primary key, if it has one. */
interface Table {
  name: string;
  columns: string[];
  key: string[];
}

/** Tables that say something about one place of the ledger, not about payments. */
const ofPlace: readonly string[] = ['migrations', 'moves'];

/** A multiple of what one statement inserts. */
const recordsPerPage = 480;

/** The tables of the newest schema, as a ledger on SQLite has them. */
export async function readTables(newest: Queryable): Promise<Table[]> {
  const tables: Table[] = [];
  const found = await newest.query<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name",
  );
  for (const { name } of found) {
    if (ofPlace.includes(name)) continue;
    const info = 'SELECT name, pk FROM pragma_table_info(?) ORDER BY cid';
    const columns = await newest.query<{ name: string; pk: number }>(info, [name]);
    const key = columns.filter(({ pk }) => pk > 0).toSorted((one, other) => one.pk - other.pk);
    tables.push({ name, columns: columns.map((column) => column.name), key: key.map((column) => column.name) });
  }
  return tables;
}

/** The name of a table that has records; null if all are as in a new ledger. */
export async function findFilledTable(db: Queryable, tables: readonly Table[]): Promise<string | null> {
  for (const table of tables)
    if (table.key.length > 0 && (await db.values(firstPage(table), [1])).length > 0) return table.name;
  return null;
}

/** What a table has: the count of its records, and their SHA-256 (hex) in the order of its key. */
export interface TableContent {
  table: string;
  records: number;
  sha256: string;
}

/** Copies all records. Returns what was read. */
export async function copyTables(from: Queryable, to: Queryable, tables: readonly Table[]): Promise<TableContent[]> {
  const contents: TableContent[] = [];
  for (const table of tables) {
    const { name, columns, key } = table;
    if (key.length === 0) await to.execute(`DELETE FROM ${name}`);
    const insert = makeInsert<Record<string, SqlValue>>(name, columns);
    contents.push(
      await eachPage(from, table, async (page) => {
        const records = page.map((values) =>
          Object.fromEntries(columns.map((column, at) => [column, values[at] as SqlValue])),
        );
        await insert(to, records);
      }),
    );
  }
  return contents;
}

export async function measureTables(db: Queryable, tables: readonly Table[]): Promise<TableContent[]> {
  const contents: TableContent[] = [];
  for (const table of tables) contents.push(await eachPage(db, table, async () => undefined));
  return contents;
}

async function eachPage(
  db: Queryable,
  table: Table,
  use: (page: readonly SqlValue[][]) => Promise<void>,
): Promise<TableContent> {
  const hash = createHash('sha256');
  const keyPlaces = table.key.map((column) => table.columns.indexOf(column));
  let records = 0;
  for (let page = await db.values<SqlValue[]>(firstPage(table), [recordsPerPage]); page.length > 0; ) {
    digest(hash, page);
    records += page.length;
    await use(page);
    if (page.length < recordsPerPage) break;
    const last = page.at(-1) as SqlValue[];
    const keyOfLast = keyPlaces.map((at) => last[at] as SqlValue);
    page =
      table.key.length === 0
        ? await db.values(`${firstPage(table)} OFFSET ?`, [recordsPerPage, records])
        : await db.values(nextPage(table), [...keyOfLast, recordsPerPage]);
  }
  return { table: table.name, records, sha256: hash.digest('hex') };
}

function digest(hash: Hash, page: readonly SqlValue[][]): void {
  for (const values of page) hash.update(`${JSON.stringify(values)}\n`);
}

/** Without a key, the order is that of all columns. The two databases sort NULL differently, so it is sorted first. */
function firstPage({ name, columns, key }: Table): string {
  const order = key.length > 0 ? key : columns.flatMap((column) => [`${column} IS NULL`, column]);
  return `SELECT ${columns.join(', ')} FROM ${name} ORDER BY ${order.join(', ')} LIMIT ?`;
}

function nextPage({ name, columns, key }: Table): string {
  const order = key.join(', ');
  return `SELECT ${columns.join(', ')} FROM ${name} WHERE (${order}) > (${places(key.length)}) ORDER BY ${order} LIMIT ?`;
}
