import type { Database, Queryable } from '../drivers/database.ts';

/** What the program knows of the whole ledger. Times are epoch ms. */
interface LedgerState {
  /** The highest time that any process on this ledger has seen, or 0. */
  highest_clock_ms: number;
  /** When a person said that the ledger was restored from a backup. */
  restored_at: number | null;
  /** Since when people are notified: older events are no news. */
  news_since: number | null;
}

export async function readLedgerState(db: Queryable): Promise<LedgerState> {
  const [state] = await db.query<LedgerState>('SELECT highest_clock_ms, restored_at, news_since FROM ledger_state');
  return state as LedgerState;
}

export async function highestClock(db: Queryable): Promise<number> {
  return (await readLedgerState(db)).highest_clock_ms;
}

/** The stored time is raised only if it is behind by more than this (ms). */
const raisedByMs = 60_000;

/**
 * Raises the highest time to `now` if it is more than a minute lower. All machines write this one row, and a
 * transaction that writes it makes the others wait, so not every renewal of a lease writes it. A key's age may be wrong
 * by ten minutes (engine/payments/key-age.ts).
 */
export async function raiseHighestClock(tx: Queryable, now: number): Promise<void> {
  const sql = 'UPDATE ledger_state SET highest_clock_ms = ? WHERE highest_clock_ms < ?';
  await tx.execute(sql, [now, now - raisedByMs]);
}

/** Fails if the ledger cannot be written: its disk is full, or its file was moved. */
export async function proveWritable(db: Database, now: number): Promise<void> {
  await db.transact((tx) => tx.execute('UPDATE ledger_state SET proved_writable_at = ?', [now]));
}

export async function saveLedgerRestored(tx: Queryable, at: number): Promise<void> {
  await tx.execute('UPDATE ledger_state SET restored_at = ?, server_history = ledger_history()', [at]);
}

/**
 * Whether the ledger is where it was before, and in the same history of the database server. It is not after a
 * fail-over to a replica, and after a backup was restored. Both may lack the last payments. Always true of a file.
 */
export async function isSameHistory(tx: Queryable): Promise<boolean> {
  const first = 'UPDATE ledger_state SET server_history = ledger_history() WHERE server_history IS NULL';
  await tx.execute(first);
  const same = 'SELECT 1 AS one FROM ledger_state WHERE server_history IS NOT DISTINCT FROM ledger_history()';
  return (await tx.query(same)).length > 0;
}

export async function saveNewsSince(tx: Queryable, at: number): Promise<void> {
  await tx.execute('UPDATE ledger_state SET news_since = ?', [at]);
}
