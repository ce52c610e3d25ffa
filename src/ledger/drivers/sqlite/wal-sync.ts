import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { AirbatchError, errorMessage } from '../../../core/basics/errors.ts';

/** Writes everything that was written to an open file to the disk, outside the main thread. */
export type SyncFile = (descriptor: number) => Promise<void>;

/**
 * Waits for the disk instead of SQLite, which would wait within each commit and block requests, answers and webhooks
 * meanwhile. The write-ahead log is one file to which commits are appended in order. So one wait makes all commits
 * durable that were made before it began: after a power loss the log ends after them, or later.
 */
export interface WalSync {
  /** Call after each commit; it is not durable yet. */
  committed(): void;
  /**
   * Resolves when every commit until now is on the disk. Rejects with `LEDGER_SYNC` if the disk refused one, and from
   * then on always: no system says what a later success means for bytes that were refused once.
   */
  durable(): Promise<void>;
  /** Like `durable`, including commits of other processes. */
  allDurable(): Promise<void>;
  /** Throws `LEDGER_SYNC` if the disk has refused a commit. */
  assertSound(): void;
  close(): void;
}

/**
 * Watches the log at `path`. The file exists from the first transaction on, and SQLite keeps it while a connection is
 * open.
 */
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
