import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { systemClock } from '../../core/time/clock.ts';

/**
 * Pages in the write-ahead log, and not in the database yet, from which on they are brought into it: 16 MiB. Pages of
 * a large ledger's index of keys are written in no order, so a longer log saves writes; it is read once after a crash,
 * in some 50 ms.
 */
const longPages = 4_000;

/**
 * Where that takes so much of the time, looked at over so long, as in a large ledger and on a slow disk, a thread is
 * worth its 17 MiB.
 */
const shareMin = 1 / 12;
const countedMs = 5_000;

/** It ends when it has had nothing to do for so long, or up to twice that. */
const idleMs = 2_000;

/** The thread does it so many pages at a time. */
const threadPages = 1_000;

/**
 * Pages in the log, whether in the database or not, from which on commits wait until the thread has them all: 64 MiB.
 * A log is begun anew only where no commit comes meanwhile, which on a slow disk would never be, and one that takes
 * pages more slowly than they come would fill up.
 */
const behindPages = 16_000;

/**
 * How long after a commit a log that is still short is brought into the database (late-checkpoint.ts). An idle program
 * commits every 5 s, to renew its leases: a checkpoint of those few pages twice a minute costs nothing.
 */
const lateMs = 30_000;

/**
 * Brings the write-ahead log into the database: at the end of a commit, or, where many come, in a thread with a
 * connection of its own.
 */
export interface Checkpoints {
  /** A commit was made, and no transaction is open. It never throws: the commit stands, whatever becomes of the log. */
  committed(): void;
  /**
   * Resolves when the log is not too long for a commit, or is kept so by whoever reads: to be waited for before a
   * transaction.
   */
  room(): Promise<void>;
  /** Resolves when the thread is not at work. It begins again after a commit at the soonest. */
  idle(): Promise<void>;
  /**
   * Brings in what is in the log, however short it is. Returns whether all of it is in the database: not where somebody
   * reads an earlier state, nor where the thread is there, which does it soon. No transaction may be open.
   */
  bringIn(): boolean;
  /** Ends the thread. */
  close(): Promise<void>;
}

/** When it is done, and by whom. */
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

/** `path` is that of the database itself, not of a link to it. */
export function makeCheckpoints(database: DatabaseSync, path: string, limits = usualCheckpoints): Checkpoints {
  // Nobody else says when: SQLite would do it within the commit.
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
        // SQLite is silent here as well. A disk that is full or fails is told of by the commit that it does not take.
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

/** Returns whether all of the log is in the database. */
function bringAllIn(database: DatabaseSync, measure: StatementSync): boolean {
  database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  const { log, checkpointed } = measure.get() ?? {};
  return log === checkpointed;
}

interface CheckpointThread {
  /** False once it has failed: whatever it met, the connection of the commits meets, too, and tells of it. */
  isSound(): boolean;
  /** Has it begin, unless it is at work. */
  work(): void;
  /** Whether it was at work since this was asked last. */
  wasAtWork(): boolean;
  idle(): Promise<void>;
  end(): Promise<void>;
}

/** The file of the database: where it lies, and which one it is, wherever it lies. */
interface DatabaseFile {
  path: string;
  dev: bigint;
  ino: bigint;
}

function startThread({ path, dev, ino }: DatabaseFile, longPages: number): CheckpointThread {
  // Never made anew: where the file has been moved away, an empty ledger would lie in its place.
  const place = pathToFileURL(path);
  place.searchParams.set('mode', 'rw');
  const worker = new Worker(new URL('./checkpoint-worker.js', import.meta.url), {
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
