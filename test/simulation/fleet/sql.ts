import { DatabaseSync } from 'node:sqlite';
import type { SqlValue } from '../../../src/ledger/drivers/database.ts';
import { identitySql } from '../../../src/ledger/drivers/postgres/same-ledger.ts';
import { prepareStatement, readAll, readValues, type Statement } from '../../../src/ledger/drivers/sqlite/statement.ts';

/** What the statements ask the server itself. */
export interface ServerFacts {
  /** The server's clock (epoch ms). */
  now(): number;
  /** What `identitySql` gives. */
  identity(): string;
  /** A notice that is delivered once the transaction is committed. */
  notify(payload: string): void;
}

export interface Answer {
  rows: unknown[];
  rowCount: number;
  /** Where it is not the first word of the statement. */
  command?: string;
}

/** A connection of the model to its file: the driver's own statements, as PostgreSQL gets them. */
export interface Connection {
  run(text: string, params: readonly SqlValue[], asArrays: boolean): Answer;
  exec(text: string): void;
  close(): void;
}

const serverTime = 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)';

/** PostgreSQL's text of a statement as SQLite runs it. With the sign, it plans once: see `toPostgres`. */
function toModel(text: string): string {
  return text
    .replaceAll(identitySql, 'server_identity()')
    .replaceAll(serverTime, 'server_now()')
    .replaceAll("current_setting('airbatch.clock', true)", 'NULL')
    .replaceAll(/\$(\d+)/g, '+?$1');
}

export const isReading = (text: string): boolean => /^\s*(SELECT|WITH)\b/.test(text) && !/\bRETURNING\b/.test(text);

export function connect(path: string, facts: ServerFacts): Connection {
  const database = new DatabaseSync(path);
  // Nothing here survives the run: what the disk does is the other simulation's matter.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0');
  database.function('server_now', () => facts.now());
  database.function('server_identity', () => facts.identity());
  database.function('pg_notify', (_channel, payload) => {
    facts.notify(String(payload));
    return null;
  });
  const statements = new Map<string, Statement>();
  return {
    run(text, params, asArrays) {
      let statement = statements.get(text);
      if (!statement) {
        statement = prepareStatement(database, toModel(text));
        statements.set(text, statement);
      }
      if (!isReading(text) && !/\bRETURNING\b/.test(text))
        return { rows: [], rowCount: Number(statement.prepared.run(...params).changes) };
      const rows = asArrays ? readValues<SqlValue[]>(statement, params) : readAll<object>(statement, params);
      return { rows, rowCount: rows.length };
    },
    exec: (text) => database.exec(text),
    close: () => database.close(),
  };
}
