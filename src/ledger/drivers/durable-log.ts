import type { DatabaseSync } from 'node:sqlite';
import { AirbatchError } from '../../core/basics/errors.ts';
import { systemClock } from '../../core/time/clock.ts';
import { type CheckpointLimits, makeCheckpoints, usualCheckpoints } from './checkpoints.ts';
import type { AssertInPlace } from './file-in-place.ts';
import { makeLateCheckpoint } from './late-checkpoint.ts';
import { attempt } from './sqlite-errors.ts';
import type { Turns } from './turns.ts';
import { makeWalSync, type SyncFile, type WalSync } from './wal-sync.ts';

interface DurableLog {
  /** Null where there is no file. */
  wal: WalSync | null;
  /** A transaction was committed. */
  committed(): void;
  /** Resolves when the log has room for a transaction. Rejects if the disk has refused what was committed. */
  ready(): Promise<void>;
  /** Resolves when no checkpoint is running. Rejects if the disk has refused what was committed. */
  idle(): Promise<void>;
  /** Brings the log into the database and empties it. Rejects with `LEDGER_BUSY` if others read it for too long. */
  truncate(): Promise<void>;
  /** Called in a turn, as the connection is closed right after it. */
  close(): Promise<void>;
}

interface DurableLogOptions {
  busyTimeoutMs: number;
  syncFile?: SyncFile | undefined;
  checkpoints?: CheckpointLimits | undefined;
  assertInPlace: AssertInPlace;
  inTurn: Turns['inTurn'];
}

/** SQLite's write-ahead log: waits for the disk, and brings what was written into the database. */
export function makeDurableLog(path: string, database: DatabaseSync, options: DurableLogOptions): DurableLog {
  const { busyTimeoutMs, syncFile, checkpoints: limits = usualCheckpoints, assertInPlace, inTurn } = options;
  // Where a path leads through links, SQLite's files lie beside the last one.
  const location = database.location();
  const wal = location === null ? null : makeWalSync(`${location}-wal`, syncFile);
  const checkpoints = location === null ? null : makeCheckpoints(database, location, limits);

  /** Throws where the disk has refused what the log has, or another file lies in the place of the ledger. */
  const bringIn = (): boolean => {
    wal?.assertSound();
    assertInPlace();
    return checkpoints?.bringIn() ?? true;
  };
  const late = makeLateCheckpoint(limits.lateMs, async () => {
    // SQLite waits for the disk itself before a checkpoint, but on the main thread.
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
      // Another process is bringing the log into the database, for which SQLite does not wait.
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
      // Whoever waits for the disk still hears of it; so does a disk that refused, through them.
      await wal?.durable().catch(() => undefined);
      wal?.close();
      await checkpoints?.close();
      if (isDue) {
        try {
          bringIn();
        } catch {
          // What was committed is in the log, which the next program brings in.
        }
      }
    },
  };
}
