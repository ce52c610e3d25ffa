/** A value as both databases know it. JSON and decimals travel as text, times as epoch milliseconds. */
export type SqlValue = string | number | null;

/** What statements run on: a database outside any transaction, or an open transaction. */
export interface Queryable {
  /** Runs a statement that returns records. `sql` is constant text with `?` placeholders. */
  query<Result extends object>(sql: string, params?: readonly SqlValue[]): Promise<Result[]>;
  /** The same records as bare values, in the order of the columns that `sql` names: for passes over all rows. */
  values<Values extends readonly SqlValue[]>(sql: string, params?: readonly SqlValue[]): Promise<Values[]>;
  /** Runs a statement that changes records, and says how many it changed. */
  execute(sql: string, params?: readonly SqlValue[]): Promise<number>;
}

/**
 * The seam between the ledger and its database. Transactions are serialised: at most one is open at a time, and
 * statements outside it never see its uncommitted work. No transaction stays open across a network call.
 */
export interface Database extends Queryable {
  /**
   * Runs `work` in one durable transaction: committed, and on disk, when the promise resolves; nothing of it remains
   * when it rejects. Rejects with `AirbatchError` (`LEDGER_FULL`, `LEDGER_IO`, `LEDGER_BUSY`, `LEDGER_DAMAGED`) on
   * trouble below. After `LEDGER_SYNC` alone nobody knows what remains, and nothing more is written: whoever opens the
   * ledger next sees it.
   */
  transact<Result>(work: (tx: Queryable) => Promise<Result>): Promise<Result>;
  /**
   * Runs `work` on the ledger as it is now, whatever is written meanwhile: for reports of many pages that must agree
   * with each other. It blocks no writer. `work` reads only.
   */
  snapshot<Result>(work: (view: Queryable) => Promise<Result>): Promise<Result>;
  /**
   * Writes the database anew, so that nothing of what was deleted or overwritten stays in its files. Nothing else is
   * read or written meanwhile: some 30 s for 2 GB. Begins when snapshots have ended. Rejects with `LEDGER_BUSY` where
   * another process reads for long.
   */
  compact(): Promise<void>;
  /**
   * Brings the write-ahead log into the database, and empties it. What was deleted or overwritten is zeros in the
   * database but for what SQLite leaves in the unused space of a page that it has divided: some two numbers of ten
   * thousand. Begins, and rejects, as `compact`.
   */
  emptyLog(): Promise<void>;
  close(): Promise<void>;
}
