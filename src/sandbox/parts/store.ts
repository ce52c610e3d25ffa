import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';

export type StoredValue = string | number | null;

/** The sandbox's tables. An answer is stored before it is sent. */
export interface Store {
  all<Result>(sql: string, ...values: StoredValue[]): Result[];
  one<Result>(sql: string, ...values: StoredValue[]): Result | null;
  /** Returns how many records were changed. */
  run(sql: string, ...values: StoredValue[]): number;
  /** Inserts a record; its fields are named as the columns. */
  insert(table: string, record: object): void;
  /** Runs `work` in one transaction; a nested call joins the outer one. */
  atomically<Result>(work: () => Result): Result;
  /** Empties every table but the count of starts, which keeps ids unique. */
  empty(): void;
  close(): void;
}

const schema = `
  CREATE TABLE IF NOT EXISTS starts (count INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS clock (advanced_ms INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS topups (
    id TEXT PRIMARY KEY, version TEXT NOT NULL, company TEXT NOT NULL, api_key TEXT, idempotency_key TEXT,
    phone_number TEXT NOT NULL, network_id INTEGER NOT NULL, amount TEXT NOT NULL, currency TEXT NOT NULL,
    cost TEXT NOT NULL, cost_currency TEXT NOT NULL, cost_usd TEXT NOT NULL, wallet_id TEXT NOT NULL, strategy TEXT NOT NULL,
    product_id INTEGER, sms TEXT, reference TEXT, callback_url TEXT, metadata TEXT NOT NULL,
    outcome TEXT NOT NULL, failure_reason TEXT, provider_reference TEXT,
    created_at INTEGER NOT NULL, processing_at INTEGER NOT NULL, ends_at INTEGER, refund_at INTEGER,
    announced INTEGER NOT NULL, booked INTEGER NOT NULL, refunded INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS topups_by_time ON topups (company, created_at);
  CREATE INDEX IF NOT EXISTS topups_by_reference ON topups (company, reference);
  CREATE INDEX IF NOT EXISTS topups_by_number ON topups (company, phone_number, created_at);
  CREATE INDEX IF NOT EXISTS topups_to_book ON topups (ends_at) WHERE booked = 0 AND ends_at IS NOT NULL;
  CREATE INDEX IF NOT EXISTS topups_to_announce ON topups (processing_at) WHERE announced = 0;
  CREATE INDEX IF NOT EXISTS topups_to_refund ON topups (refund_at) WHERE refunded = 0 AND refund_at IS NOT NULL;
  CREATE INDEX IF NOT EXISTS topups_to_call_back ON topups (id) WHERE callback_url IS NOT NULL AND booked = 0;
  CREATE TABLE IF NOT EXISTS wallets (
    id TEXT PRIMARY KEY, company TEXT NOT NULL, version TEXT NOT NULL, type TEXT NOT NULL, currency TEXT NOT NULL,
    country TEXT, network_id INTEGER, balance TEXT NOT NULL, status TEXT NOT NULL, low_balance TEXT, is_low INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS statements (
    number INTEGER PRIMARY KEY, wallet_id TEXT NOT NULL, at INTEGER NOT NULL, amount TEXT NOT NULL, why TEXT NOT NULL,
    topup_id TEXT, balance_after TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS statements_by_wallet ON statements (wallet_id, number);
  CREATE TABLE IF NOT EXISTS charges (
    number INTEGER PRIMARY KEY, topup_id TEXT NOT NULL UNIQUE, company TEXT NOT NULL, reference TEXT, idempotency_key TEXT,
    phone_number TEXT NOT NULL, amount TEXT NOT NULL, currency TEXT NOT NULL, cost TEXT NOT NULL, cost_currency TEXT NOT NULL,
    at INTEGER NOT NULL, given_back_at INTEGER, refunded_at INTEGER);
  CREATE TABLE IF NOT EXISTS kept_answers (
    company TEXT NOT NULL, idempotency_key TEXT NOT NULL, status INTEGER NOT NULL, body TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (company, idempotency_key));
  CREATE TABLE IF NOT EXISTS strikes (
    name TEXT NOT NULL, phone_number TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (name, phone_number));
  CREATE TABLE IF NOT EXISTS revoked_keys (api_key TEXT PRIMARY KEY);
  CREATE TABLE IF NOT EXISTS tokens (token TEXT PRIMARY KEY, company TEXT NOT NULL, expires_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS webhooks (
    id TEXT PRIMARY KEY, company TEXT NOT NULL, url TEXT NOT NULL, events TEXT NOT NULL, secret TEXT NOT NULL, created_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS deliveries (
    id TEXT PRIMARY KEY, scheme TEXT NOT NULL, company TEXT NOT NULL, event TEXT NOT NULL, topup_id TEXT, url TEXT NOT NULL,
    target TEXT NOT NULL DEFAULT '',
    signing_key TEXT NOT NULL, body TEXT NOT NULL, status TEXT NOT NULL, attempts INTEGER NOT NULL, next_at INTEGER,
    last_error TEXT, created_at INTEGER NOT NULL, delivered_at INTEGER);
  CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (next_at) WHERE status = 'waiting';
`;

/**
 * Opens the store at `path`, or in memory. Committed data survives a kill of the process (not a power loss). It has
 * phone numbers, so only its owner may read it.
 */
export function openStore(path: string | undefined): Store {
  if (path) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const isNew = path !== undefined && !existsSync(path);
  const database = new DatabaseSync(path ?? ':memory:', { timeout: 5_000 });
  if (isNew) chmodSync(path, 0o600);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
  database.exec(schema);
  const columns = database.prepare(`SELECT name FROM pragma_table_info('deliveries')`).all();
  if (!columns.some(({ name }) => name === 'target'))
    database.exec(`ALTER TABLE deliveries ADD COLUMN target TEXT NOT NULL DEFAULT ''`);
  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const known = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  return {
    all: <Result>(sql: string, ...values: StoredValue[]) => prepare(sql).all(...values) as Result[],
    one: <Result>(sql: string, ...values: StoredValue[]) => (prepare(sql).get(...values) as Result | undefined) ?? null,
    run: (sql, ...values) => Number(prepare(sql).run(...values).changes),
    insert(table, record) {
      const fields = Object.keys(record);
      const sql = `INSERT INTO ${table} (${fields.join(', ')}) VALUES (${fields.map(() => '?').join(', ')})`;
      prepare(sql).run(...(Object.values(record) as StoredValue[]));
    },
    atomically(work) {
      if (database.isTransaction) return work();
      database.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        database.exec('COMMIT');
        return result;
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK');
        throw error;
      }
    },
    empty() {
      const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'starts'`).all();
      for (const { name } of tables) database.exec(`DELETE FROM ${String(name)}`);
    },
    close: () => database.close(),
  };
}

/** How far the clock was set forward (milliseconds). */
export const advancedMs = (store: Store): number =>
  store.one<{ advanced_ms: number }>('SELECT advanced_ms FROM clock')?.advanced_ms ?? 0;

export function noteAdvanced(store: Store, ms: number): void {
  if (store.run('UPDATE clock SET advanced_ms = ?', ms) === 0) store.insert('clock', { advanced_ms: ms });
}

/** Counts the starts of the sandbox, beginning with 1. */
export function countStart(store: Store): number {
  return store.atomically(() => {
    if (store.run('UPDATE starts SET count = count + 1') === 0) store.insert('starts', { count: 1 });
    return store.one<{ count: number }>('SELECT count FROM starts')?.count ?? 1;
  });
}
