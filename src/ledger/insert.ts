import type { Queryable, SqlValue } from './database.ts';

/** Records that one statement carries: the texts are constant, so whatever is inserted together is cut into these sizes. */
const sizes = [48, 12, 3, 1] as const;

/** Inserts records of one table, many with one statement; resolves to how many were inserted. */
export type Insert<Row> = (tx: Queryable, records: readonly Row[]) => Promise<number>;

/** `ending` follows the values, as `ON CONFLICT ... DO NOTHING`. */
export function makeInsert<Row extends { [Column in keyof Row]: SqlValue }>(
  table: string,
  columns: readonly (keyof Row & string)[],
  ending = '',
): Insert<Row> {
  const record = `(${columns.map(() => '?').join(', ')})`;
  const texts = sizes.map((size) => {
    const values = Array<string>(size).fill(record).join(', ');
    return `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${values} ${ending}`;
  });
  return async (tx, records) => {
    let inserted = 0;
    let next = 0;
    for (const [index, size] of sizes.entries()) {
      while (records.length - next >= size) {
        const params = new Array<SqlValue>(size * columns.length);
        let at = 0;
        for (const end = next + size; next < end; next++) {
          const values = records[next] as Row;
          for (let column = 0; column < columns.length; column++) {
            params[at++] = values[columns[column] as keyof Row & string];
          }
        }
        inserted += await tx.execute(texts[index] as string, params);
      }
    }
    return inserted;
  };
}
