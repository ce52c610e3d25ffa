import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { programModule } from '../../../core/basics/package-files.ts';
import { systemClock } from '../../../core/time/clock.ts';

/**
 * If the write-ahead log has this many pages that are not in the database, a checkpoint copies them: 16 MiB. A large
 * ledger writes the pages of its index of keys in random order, so a longer log saves writes. After a crash it is read
 * once, in about 50 ms.
 */
const longPages = 4_000;

/**
 * If checkpoints take this share of the time, measured over `watchMs`, as with a large ledger on a slow disk, a thread
 * is worth its 17 MiB.
 */
const shareMin = 1 / 12;
const countedMs = 5_000;

/** The thread ends after this long without work, or up to twice as long. */
const idleMs = 2_000;

/** How many pages the thread copies at a time. */
const threadPages = 1_000;

/**
 * If the log has this many pages, in the database or not, commits wait until the thread has copied them all: 64 MiB.
 * SQLite restarts the log only at a moment without commits. On a slow disk there would be none, and the log would grow
 * faster than the thread copies it.
 */
const behindPages = 16_000;

/**
 * How long after a commit a short log is checkpointed (late-checkpoint.ts). An idle program commits every 5 s, to renew
 * its leases: a checkpoint of those few pages twice a minute costs nothing.
 */
const lateMs = 30_000;

/**
 * Checkpoints the write-ahead log: after a commit, or, if there are many commits, in a thread with its own connection.
 */
export interface Checkpoints {
  /**
   * Call after each commit, without an open transaction. It never throws: the commit stands whatever happens to the
   * log.
   */
  committed(): void;
  /**
   * Resolves when the log is short enough for a commit, or when only readers keep it long. Await it before a
   * transaction.
   */
  room(): Promise<void>;
  /** Resolves when the thread is not copying. It does not start again before the next commit. */
  idle(): Promise<void>;
  /**
   * Copies the log into the database, however short it is. Returns whether the database has all of it: false while
   * somebody reads an earlier state, or while the thread exists, which will copy it soon. No transaction may be open.
   */
  bringIn(): boolean;
  /** Ends the thread. */
  close(): Promise<void>;
}

/** When checkpoints are made, and by whom. */
export interface CheckpointLimits {
  longPages: number;
  shareMin: number;
  countedMs: number;
  idleMs: number;
  threadPages: number;
  behindPages: number;
  lateMs: number;
}

export const usualCheckpoints: CheckpointLimits = {
  longPages,
  shareMin,
  countedMs,
  idleMs,
  threadPages,
  behindPages,
  lateMs,
};

/** Makes the checkpoints of a database. `path` is that of the database file itself, not of a link to it. */
export function makeCheckpoints(database: DatabaseSync, path: string, limits = usualCheckpoints): Checkpoints {
  // Otherwise SQLite would checkpoint within a commit.
  database.exec('PRAGMA wal_autocheckpoint = 0');
  const measure = database.prepare('PRAGMA wal_checkpoint(NOOP)');
  const { dev, ino } = statSync(path, { bigint: true });
  const closing = new AbortController();
  let countedFrom = systemClock.monotonic();
  let spentMs = 0;
  let thread: CheckpointThread | null = null;
  let isBehind = false;
  let ended: Promise<void> = Promise.resolve();

  const end = () => {
    ended = thread?.end() ?? ended;
    thread = null;
  };

  const endWhenIdle = async (own: CheckpointThread) => {
    do {
      await systemClock.sleep(limits.idleMs, closing.signal);
    } while (own.wasAtWork() && !closing.signal.aborted);
    if (thread === own) end();
  };

  const doneHere = () => {
    const begunAt = systemClock.monotonic();
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    const now = systemClock.monotonic();
    spentMs += now - begunAt;
    const ofMs = now - countedFrom;
    if (ofMs < limits.countedMs) return;
    if (thread === null && spentMs >= ofMs * limits.shareMin) {
      thread = startThread({ path, dev, ino }, limits.longPages);
      void endWhenIdle(thread);
    }
    countedFrom = now;
    spentMs = 0;
  };

  const shorten = () => {
    const { log, checkpointed } = measure.get() ?? {};
    const waiting = Number(log) - Number(checkpointed);
    isBehind = Number(log) >= limits.behindPages;
    if (thread?.isSound()) {
      if (isBehind || waiting >= limits.threadPages) thread.work();
    } else if (isBehind || waiting >= limits.longPages) {
      doneHere();
    }
  };

  return {
    committed() {
      try {
        shorten();
      } catch {
        // SQLite ignores a failed checkpoint as well. The next commit reports a disk that is full or broken.
      }
    },
    room: async () => {
      if (isBehind) await thread?.idle();
    },
    idle: () => thread?.idle() ?? ended,
    bringIn: () => !thread?.isSound() && bringAllIn(database, measure),
    close() {
      closing.abort();
      end();
      return ended;
    },
  };
}

/** Returns whether the database has all of the log. */
function bringAllIn(database: DatabaseSync, measure: StatementSync): boolean {
  database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  const { log, checkpointed } = measure.get() ?? {};
  return log === checkpointed;
}

interface CheckpointThread {
  /** False once the thread has failed. The connection of the commits meets the same fault, and reports it. */
  isSound(): boolean;
  /** Starts a checkpoint unless one is running. */
  work(): void;
  /** Whether the thread has copied anything since the last call. */
  wasAtWork(): boolean;
  idle(): Promise<void>;
  end(): Promise<void>;
}

/** The path of the database file, and its identity wherever it is moved. */
interface DatabaseFile {
  path: string;
  dev: bigint;
  ino: bigint;
}

function startThread({ path, dev, ino }: DatabaseFile, longPages: number): CheckpointThread {
  // The file must exist: if it was moved away, SQLite would otherwise create an empty ledger in its place.
  const place = pathToFileURL(path);
  place.searchParams.set('mode', 'rw');
  const worker = new Worker(programModule('ledger/drivers/sqlite/checkpoint-worker.js'), {
    workerData: { place: place.href, dev, ino, longPages },
    resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 32 },
  });
  let sound = true;
  let atWork = Promise.withResolvers<void>();
  let isWorking = false;
  let hasWorked = false;
  const rest = () => {
    isWorking = false;
    atWork.resolve();
  };
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      sound = false;
      rest();
      resolve();
    });
  });
  worker.on('error', () => {
    sound = false;
  });
  worker.on('message', rest);
  return {
    isSound: () => sound,
    work() {
      if (isWorking) return;
      isWorking = true;
      hasWorked = true;
      atWork = Promise.withResolvers<void>();
      worker.postMessage('work');
    },
    wasAtWork() {
      const was = hasWorked;
      hasWorked = isWorking;
      return was;
    },
    idle: async () => {
      if (isWorking) await atWork.promise;
    },
    async end() {
      worker.postMessage('end');
      await ended;
    },
  };
}
