import type { Queryable, SqlValue } from './database.ts';

/** The first record; null if there is none. */
export async function readOne<Result extends object>(
  db: Queryable,
  sql: string,
  params?: readonly SqlValue[],
): Promise<Result | null> {
  const [found] = await db.query<Result>(sql, params);
  return found ?? null;
}

/** The only column of the first record; null if there is none. */
export async function readValue<Value extends SqlValue>(
  db: Queryable,
  sql: string,
  params?: readonly SqlValue[],
): Promise<Value | null> {
  const [found] = await db.values<[Value]>(sql, params);
  return found?.[0] ?? null;
}

/** The only column of all records. */
export async function readColumn<Value extends SqlValue>(
  db: Queryable,
  sql: string,
  params?: readonly SqlValue[],
): Promise<Value[]> {
  return (await db.values<[Value]>(sql, params)).map(([value]) => value);
}
