import type { DatabaseSync } from 'node:sqlite';
import { AirbatchError } from '../../core/basics/errors.ts';
import { systemClock } from '../../core/time/clock.ts';
import { type CheckpointLimits, makeCheckpoints } from './checkpoints.ts';
import { attempt } from './sqlite-errors.ts';
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
  close(): Promise<void>;
}

/** SQLite's write-ahead log: waits for the disk, and brings what was written into the database. */
export function makeDurableLog(
  path: string,
  database: DatabaseSync,
  options: { busyTimeoutMs: number; syncFile?: SyncFile | undefined; checkpoints?: CheckpointLimits | undefined },
): DurableLog {
  const { busyTimeoutMs } = options;
  // Where a path leads through links, SQLite's files lie beside the last one.
  const location = database.location();
  const wal = location === null ? null : makeWalSync(`${location}-wal`, options.syncFile);
  const checkpoints = location === null ? null : makeCheckpoints(database, location, options.checkpoints);

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
      // Whoever waits for the disk still hears of it; so does a disk that refused, through them.
      await wal?.durable().catch(() => undefined);
      wal?.close();
      await checkpoints?.close();
    },
  };
}
