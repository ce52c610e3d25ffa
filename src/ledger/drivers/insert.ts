import { allEnded } from '../../core/basics/all-ended.ts';
import type { Queryable, SqlValue } from './database.ts';

/**
 * How many records one statement may insert. Statement texts are constant, so records are split into chunks of these
 * sizes.
 */
const sizes = [48, 12, 3, 1] as const;

/** Inserts records into one table, many with one statement. Resolves to how many were inserted. */
export type Insert<Row> = (tx: Queryable, records: readonly Row[]) => Promise<number>;

interface InsertOptions<Row> {
  /**
   * Further columns with the same value in every record, given as SQL. A value that is not bound costs next to nothing.
   */
  fixed?: Readonly<Record<string, string>>;
  /** Follows the values, such as `ON CONFLICT ... DO NOTHING`. */
  ending?: string;
  /** The most records of one statement, if fewer than usual. */
  most?: number;
  /**
   * Puts the values of a record into `params` from `at` on, in the order of the columns. Looking them up by name takes
   * three times as long.
   */
  put?: (params: SqlValue[], at: number, record: Row) => void;
}

export function makeInsert<Row extends { [Column in keyof Row]: SqlValue }>(
  table: string,
  columns: readonly (keyof Row & string)[],
  { fixed = {}, ending = '', most = sizes[0], put }: InsertOptions<Row> = {},
): Insert<Row> {
  const names = [...columns, ...Object.keys(fixed)];
  const record = `(${[...columns.map(() => '?'), ...Object.values(fixed)].join(', ')})`;
  const mine = [most, ...sizes.filter((size) => size < most)];
  const texts = mine.map((size) => {
    const values = Array<string>(size).fill(record).join(', ');
    return `INSERT INTO ${table} (${names.join(', ')}) VALUES ${values} ${ending}`;
  });
  const width = columns.length;
  const putByName = (params: SqlValue[], at: number, record: Row) => {
    for (let index = 0; index < width; index++) params[at + index] = record[columns[index] as keyof Row & string];
  };
  const putValues = put ?? putByName;
  return async (tx, records) => {
    const inserting: Promise<number>[] = [];
    let next = 0;
    for (const [index, size] of mine.entries()) {
      while (records.length - next >= size) {
        // Allocated at its full length: a growing array is copied each time.
        const params = new Array<SqlValue>(size * width);
        for (let at = 0; at < params.length; at += width) putValues(params, at, records[next++] as Row);
        inserting.push(tx.execute(texts[index] as string, params));
      }
    }
    return (await allEnded(inserting)).reduce((sum, count) => sum + count, 0);
  };
}
