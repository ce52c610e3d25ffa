import { assert } from '../../core/basics/assert.ts';

/** A value that both databases support. JSON and decimals are texts, times are epoch milliseconds: whole numbers. */
export type SqlValue = string | number | null;

/** SQLite keeps a fraction in an integer column and compares with it; PostgreSQL refuses it. So both refuse it. */
export function assertIntegers(params: readonly SqlValue[]): void {
  // `for of` makes an object for each value, and the text is made only for a failure: a row has some fifty numbers.
  for (let index = 0; index < params.length; index++) {
    const value = params[index];
    if (typeof value === 'number' && !Number.isSafeInteger(value))
      assert(false, `a parameter is no safe integer: ${value}`);
  }
}

/** Runs statements: a database outside any transaction, or an open transaction. */
export interface Queryable {
  /** Runs a statement that returns records. `sql` is constant text with `?` placeholders. */
  query<Result extends object>(sql: string, params?: readonly SqlValue[]): Promise<Result[]>;
  /** Returns the records as arrays of values, in the order of the columns in `sql`: for passes over all rows. */
  values<Values extends readonly SqlValue[]>(sql: string, params?: readonly SqlValue[]): Promise<Values[]>;
  /** Runs a statement that changes records. Returns how many it changed. */
  execute(sql: string, params?: readonly SqlValue[]): Promise<number>;
}

/** An open transaction. */
export interface Transaction extends Queryable {
  /**
   * Statements that were sent already, and whose answers nothing in the transaction waits for. The transactions that
   * share its commit go on meanwhile. If one of these statements fails, the whole commit does.
   */
  last(written: Promise<unknown>): void;
}

/** Work that another process has made for an account. */
export interface Notice {
  kind: 'batch' | 'webhook';
  account: string;
}

/**
 * What is damaged, in words of the database; empty if nothing was found. `looked_at`: all pages and indexes (SQLite);
 * the checksums of the pages that were read until now (PostgreSQL); or nothing, because PostgreSQL keeps no checksums.
 */
export interface Integrity {
  looked_at: 'everything' | 'checksums' | 'nothing';
  faults: string[];
}

/** Called with each notice; with null if some may have been missed. */
export type OnNotice = (notice: Notice | null) => void;

/**
 * `first`: before all transactions of this process that wait and are `usual`. For leases: behind a line of payments
 * that is longer than a lease lasts, all leases of the process would end, and no other process could take an account.
 */
export type Turn = 'first' | 'usual';

export interface TransactionOptions {
  /** Default: `usual`. */
  turn?: Turn;
  /**
   * Whether other processes may write meanwhile, where the database can do that. If not, which is the default, the
   * transaction finds the whole ledger at rest. It may be concurrent if it reads and changes only what belongs to
   * accounts whose leases this process holds, and makes sure that it still holds them; or if it only adds a record with
   * a unique key. The concurrent transactions of one process run one after the other.
   */
  concurrent?: boolean;
}

/**
 * The interface between the ledger and its database. Statements outside a transaction never see its uncommitted
 * changes. No transaction stays open across a network call.
 */
export interface Database extends Queryable {
  /**
   * Runs `work` in one durable transaction. If the promise resolves, the changes are committed and on disk; if it
   * rejects, none of them remains. Faults of the database reject with an `AirbatchError` (`LEDGER_FULL`, `LEDGER_IO`,
   * `LEDGER_BUSY`, `LEDGER_DAMAGED`). Only after `LEDGER_SYNC` is it unknown what remains: nothing more is written, and
   * the program that opens the ledger next sees it.
   */
  transact<Result>(work: (tx: Transaction) => Promise<Result>, options?: TransactionOptions): Promise<Result>;
  /**
   * Runs `work` on the ledger as it is now, whatever is written meanwhile: for reports of many pages that must agree
   * with each other. It blocks no writer. `work` must only read.
   */
  snapshot<Result>(work: (view: Queryable) => Promise<Result>): Promise<Result>;
  /**
   * Rewrites the database, so that its files contain nothing that was deleted or overwritten. Nothing else is read or
   * written meanwhile: about 30 s for 2 GB. It begins when all snapshots have ended. Rejects with `LEDGER_BUSY` if
   * another process reads for too long.
   */
  compact(): Promise<void>;
  /**
   * Copies the write-ahead log into the database, and empties it. Deleted or overwritten content is zeroed in the
   * database, except for what SQLite leaves in the unused space of a page that it has split: about two numbers of ten
   * thousand. It begins and rejects like `compact`.
   */
  emptyLog(): Promise<void>;
  /** Looks for damage, as far as the database can: see `Integrity`. It reads all of a file. */
  checkIntegrity(): Promise<Integrity>;
  /** Whether the database has no tables of a ledger yet. */
  isEmpty(): Promise<boolean>;
  /**
   * Calls `onNotice` for work that another process has made: see `announce.ts`. Returns a function that ends it. A
   * notice can be lost, so a listener also reads the ledger now and then.
   */
  listen(onNotice: OnNotice): () => void;
  close(): Promise<void>;
}
