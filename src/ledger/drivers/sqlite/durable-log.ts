import type { DatabaseSync } from 'node:sqlite';
import { AirbatchError } from '../../../core/basics/errors.ts';
import { systemClock } from '../../../core/time/clock.ts';
import { type CheckpointLimits, makeCheckpoints, usualCheckpoints } from './checkpoints.ts';
import type { AssertInPlace } from './file-in-place.ts';
import { makeLateCheckpoint } from './late-checkpoint.ts';
import { attempt } from './sqlite-errors.ts';
import type { Turns } from './turns.ts';
import { makeWalSync, type SyncFile, type WalSync } from './wal-sync.ts';

interface DurableLog {
  /** Null if the database has no file. */
  wal: WalSync | null;
  /** Call after each commit. */
  committed(): void;
  /**
   * Resolves when the log has room for a transaction. Rejects if the disk has refused a commit, or if the file has left
   * its place.
   */
  ready(): Promise<void>;
  /** Resolves when no checkpoint is running. Rejects if the disk has refused a commit. */
  idle(): Promise<void>;
  /** Copies the log into the database and empties it. Rejects with `LEDGER_BUSY` if others read it for too long. */
  truncate(): Promise<void>;
  /** Must be called in a turn, because the connection is closed right after it. */
  close(): Promise<void>;
}

interface DurableLogOptions {
  busyTimeoutMs: number;
  syncFile?: SyncFile | undefined;
  checkpoints?: CheckpointLimits | undefined;
  assertInPlace: AssertInPlace;
  inTurn: Turns['inTurn'];
}

/** SQLite's write-ahead log: waits for the disk, and makes checkpoints. */
export function makeDurableLog(path: string, database: DatabaseSync, options: DurableLogOptions): DurableLog {
  const { busyTimeoutMs, syncFile, checkpoints: limits = usualCheckpoints, assertInPlace, inTurn } = options;
  // If the path is a link, SQLite's files are next to the link's target.
  const location = database.location();
  const wal = location === null ? null : makeWalSync(`${location}-wal`, syncFile);
  const checkpoints = location === null ? null : makeCheckpoints(database, location, limits);

  /** Throws if the disk has refused part of the log, or if another file is at the ledger's path. */
  const bringIn = (): boolean => {
    wal?.assertSound();
    assertInPlace();
    return checkpoints?.bringIn() ?? true;
  };
  const late = makeLateCheckpoint(limits.lateMs, async () => {
    // Otherwise SQLite would wait for the disk before a checkpoint, on the main thread.
    await wal?.durable();
    return inTurn(async () => bringIn());
  });

  const truncate = async () => {
    wal?.committed();
    const until = systemClock.monotonic() + busyTimeoutMs;
    for (;;) {
      const { busy } = attempt(path, () => database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()) ?? {};
      if (busy === 0) return;
      if (systemClock.monotonic() >= until) {
        throw new AirbatchError('LEDGER_BUSY', `the log of the ledger ${path} is still being read`);
      }
      // Another process is checkpointing, and SQLite does not wait for that.
      await systemClock.sleep(20);
    }
  };

  return {
    wal,
    committed() {
      wal?.committed();
      checkpoints?.committed();
      if (location !== null) late.committed();
    },
    async ready() {
      assertInPlace();
      await checkpoints?.room();
      wal?.assertSound();
    },
    async idle() {
      wal?.assertSound();
      await checkpoints?.idle();
    },
    truncate,
    async close() {
      const isDue = late.end();
      // Callers that wait for the disk still get their result, or its error.
      await wal?.durable().catch(() => undefined);
      wal?.close();
      await checkpoints?.close();
      if (isDue) {
        try {
          bringIn();
        } catch {
          // The commits are in the log; the next program copies them.
        }
      }
    },
  };
}
