import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';

/** Brings all that was written to an open file onto the disk, beside the main thread. */
export type SyncFile = (descriptor: number) => Promise<void>;

/**
 * Waits for the disk in SQLite's place. SQLite would wait for it within each commit, and with it requests, answers and
 * webhooks. The write-ahead log is one file to which commits are appended in their order, so one wait makes all of
 * them durable that were made before it began: at a loss of power the log ends behind them, or later.
 */
export interface WalSync {
  /** A commit was made, and is not durable yet. */
  committed(): void;
  /**
   * Resolves when every commit until now is on the disk. Rejects with `LEDGER_SYNC` when the disk did not take one,
   * and from then on always: what a later success means of bytes that were refused once, no system says.
   */
  durable(): Promise<void>;
  /** As `durable`, for what other processes committed as well. */
  allDurable(): Promise<void>;
  /** Throws `LEDGER_SYNC` after the disk has refused. */
  assertSound(): void;
  close(): void;
}

/** The file at `path` is there from the first transaction on, and SQLite keeps it as long as a connection is open. */
export function makeWalSync(path: string, syncFile: SyncFile = promisify(fdatasync)): WalSync {
  let descriptor: number | null = null;
  let commits = 0;
  let durableCommits = 0;
  let round: Promise<void> | null = null;
  let failure: AirbatchError | null = null;

  const assertSound = () => {
    if (failure) throw failure;
  };

  const sync = async () => {
    const reached = commits;
    try {
      descriptor ??= openSync(path, 'r+');
      await syncFile(descriptor);
      durableCommits = reached;
    } catch (error) {
      const message = `the disk did not take what was written to ${path}: ${errorMessage(error)}`;
      failure = new AirbatchError('LEDGER_SYNC', message, { cause: error });
    } finally {
      round = null;
    }
  };

  const committed = () => {
    commits += 1;
  };
  const durable = async () => {
    const wanted = commits;
    while (durableCommits < wanted) {
      assertSound();
      round ??= sync();
      await round;
    }
    assertSound();
  };

  return {
    committed,
    durable,
    allDurable() {
      committed();
      return durable();
    },
    assertSound,
    close() {
      if (descriptor !== null) closeSync(descriptor);
      descriptor = null;
    },
  };
}
