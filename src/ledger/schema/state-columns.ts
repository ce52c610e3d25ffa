import type { Queryable, SqlValue } from '../drivers/database.ts';

/** One column of the accounts' or the jobs' state. */
interface StateColumn<Value extends SqlValue> {
  read(db: Queryable, name: string): Promise<Value | null>;
  write(tx: Queryable, name: string, value: Value | null): Promise<void>;
}

function makeColumn<Value extends number | string>(key: 'account' | 'job', column: string): StateColumn<Value> {
  const readSql = `SELECT ${column} AS value FROM ${key}_state WHERE ${key} = ?`;
  const clearSql = `UPDATE ${key}_state SET ${column} = NULL WHERE ${key} = ? AND ${column} IS NOT NULL`;
  const writeSql = `INSERT INTO ${key}_state (${key}, ${column}) VALUES (?, ?)
    ON CONFLICT (${key}) DO UPDATE SET ${column} = excluded.${column}`;
  return {
    read: async (db, name) => (await db.query<{ value: Value | null }>(readSql, [name]))[0]?.value ?? null,
    write: async (tx, name, value) => {
      await (value === null ? tx.execute(clearSql, [name]) : tx.execute(writeSql, [name, value]));
    },
  };
}

/** What the program knows of an account besides its batches. Times are epoch ms. */
export const accountState = {
  /** When its ledger was restored from a backup. */
  restoredAt: makeColumn<number>('account', 'restored_at'),
  /** From when on the service's list must still be read for lost payments. */
  lostFrom: makeColumn<number>('account', 'lost_from'),
  /** Its credentials (a digest), and since when it uses them. */
  keyScope: makeColumn<string>('account', 'key_scope'),
  keyScopeSince: makeColumn<number>('account', 'key_scope_since'),
  /** The lowest balance of each wallet since its money ran out (JSON). */
  lowestBalances: makeColumn<string>('account', 'lowest_balances'),
  /** `StoredPace` (accounts/pace.ts) as JSON. */
  pace: makeColumn<string>('account', 'pace'),
} as const;

/** What the program knows of a job besides its slots and files. Times are epoch ms. */
export const jobState = {
  knownSince: makeColumn<number>('job', 'known_since'),
  /** When due slots were last looked for. */
  lookedAt: makeColumn<number>('job', 'looked_at'),
  /** The due time up to which slots may have been deleted. */
  slotsDroppedUntil: makeColumn<number>('job', 'slots_dropped_until'),
  /** The folder from which it last took files. */
  usedFolder: makeColumn<string>('job', 'used_folder'),
  /** The names in its inbox that are not files (JSON). */
  ignoredEntries: makeColumn<string>('job', 'ignored_entries'),
  /** `UnprocessedFiles` (jobs/unprocessed-files.ts) as JSON. */
  unprocessedFiles: makeColumn<string>('job', 'unprocessed_files'),
  /** `RetryGivenUp[]` (jobs/job-retries.ts) as JSON. */
  retriesGivenUp: makeColumn<string>('job', 'retries_given_up'),
} as const;
