import type { ClientBase, QueryArrayResult, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { allEnded } from '../../../core/basics/all-ended.ts';
import { sha256 } from '../../../core/identity/ids.ts';
import { assertIntegers, type Queryable, type SqlValue } from '../database.ts';
import { toPostgres } from './dialect.ts';
import { asLedgerError } from './errors.ts';

/**
 * The names under which connections prepare statements. Statements are constant text, so there are a few hundred. What
 * comes after so many, such as a rare set of changed columns, is run without a name.
 */
const names = new Map<string, string>();
const namesMax = 500;
/** 192 bits. PostgreSQL cuts a name off after 63 bytes. */
const digestDigits = 48;

/**
 * The digest of the text: behind PgBouncer, a connection may have statements that another program has prepared, and a
 * name must never mean another text.
 */
function nameOf(sql: string): string | undefined {
  let name = names.get(sql);
  if (name === undefined && names.size < namesMax) {
    name = `airbatch_${sha256(sql).slice(0, digestDigits)}`;
    names.set(sql, name);
  }
  return name;
}

/** Statements that PostgreSQL prepares; the others change tables, and are run as they stand. */
const prepared = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/;

/** For statements that may take as long as they need: the longest time that a timer can wait. */
export const unlimitedMs = 2 ** 31 - 1;

/**
 * Ends a transaction of a program that is cut off or frozen in the middle of a message: until then the server takes it
 * for active, and no other limit applies. It begins with the locks, so that the wait for them does not count.
 * PostgreSQL 15 and 16 do not have it.
 */
export function limitTransaction(msMax: number): string {
  const set = `set_config('transaction_timeout', '${msMax}', true)`;
  return `CASE WHEN current_setting('transaction_timeout', true) IS NOT NULL THEN ${set} END`;
}

/** Runs statements on this connection, in the transaction that is open there. */
export function statementsOn(ledger: string, client: ClientBase): Queryable {
  let limit: { query_timeout?: number } = {};

  /** Changes tables. A migration of a large ledger may take as long as it needs. */
  const change = async (text: string) => {
    limit = { query_timeout: unlimitedMs };
    const [, changed] = await allEnded([
      client.query(`SELECT set_config('statement_timeout', '0', true), ${limitTransaction(0)}`),
      client.query({ text, ...limit } as QueryConfig),
    ]);
    return changed;
  };
  const run = async <Row extends QueryResultRow | unknown[]>(
    sql: string,
    params: readonly SqlValue[],
    rowMode?: 'array',
  ): Promise<{ rows: Row[]; rowCount: number | null }> => {
    assertIntegers(params);
    const text = toPostgres(sql);
    try {
      if (!prepared.test(text)) return await change(text);
      const query = { name: nameOf(text), text, values: [...params], ...limit };
      if (rowMode === undefined) return (await client.query(query)) as QueryResult<QueryResultRow & Row>;
      return (await client.query({ ...query, rowMode })) as QueryArrayResult<unknown[] & Row>;
    } catch (error) {
      throw asLedgerError(ledger, error);
    }
  };
  return {
    query: async <Result extends object>(sql: string, params: readonly SqlValue[] = []) =>
      (await run<Result>(sql, params)).rows,
    values: async <Values extends readonly SqlValue[]>(sql: string, params: readonly SqlValue[] = []) =>
      (await run<Values>(sql, params, 'array')).rows,
    execute: async (sql, params = []) => (await run(sql, params)).rowCount ?? 0,
  };
}
