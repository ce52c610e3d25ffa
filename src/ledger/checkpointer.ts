import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';

/**
 * Pages in the write-ahead log from which on it is brought into the database. The first pass takes all of them, while others come; the
 * next one what is left, between two commits, so that the log begins anew before the connection that writes would have to see to it.
 */
const fromPages = 3_000;

/** Heap of the thread, whose own objects are a few: a MiB of garbage, and what the runtime itself takes. */
const resourceLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16, stackSizeMb: 1 };

/** Brings the write-ahead log into the database beside the connection that writes it. */
export interface Checkpointer {
  /** To be told after each commit. Never fails: what goes wrong here costs nothing but the help. */
  committed(): void;
  /** Resolves when nothing of it holds the database any more. A later commit may begin it again. */
  end(): Promise<void>;
}

interface Log {
  /** Pages in the log, and those of them that are in the database by now. */
  log: number;
  checkpointed: number;
}

/**
 * A checkpointer for the ledger that `database` is connected to, with a thread that begins when the log is long for the first
 * time: no short command has one. A thread that fails is not replaced, since `wal_autocheckpoint` is in force beside it: the
 * connection that writes does then by itself what is left, and meets whatever is wrong with the disk where it is reported.
 */
export function makeCheckpointer(database: DatabaseSync, busyTimeoutMs: number): Checkpointer {
  const look = database.prepare('PRAGMA wal_checkpoint(NOOP)');
  let thread: Worker | null = null;
  let isAtWork = false;
  let hasFailed = false;

  const start = (): Worker => {
    // As text, since a thread that reads TypeScript takes 17 MiB more than one that reads none.
    const worker = new Worker(`(${serve})()`, {
      eval: true,
      workerData: { path: database.location(), busyTimeoutMs } satisfies Task,
      resourceLimits,
    });
    worker.on('message', () => {
      isAtWork = false;
    });
    worker.once('error', () => {
      hasFailed = true;
    });
    worker.once('exit', () => {
      thread = null;
      isAtWork = false;
    });
    // Last: whoever listens for messages keeps the process alive.
    worker.unref();
    return worker;
  };

  return {
    committed() {
      if (isAtWork || hasFailed) return;
      try {
        const { log, checkpointed } = look.get() as unknown as Log;
        if (log < fromPages || log === checkpointed) return;
        thread ??= start();
        thread.postMessage(null);
        isAtWork = true;
      } catch {
        hasFailed = true;
      }
    },
    async end() {
      await thread?.terminate();
    },
  };
}

interface Task {
  path: string | null;
  busyTimeoutMs: number;
}

/**
 * The thread: one pass for each message, and a word when it is done. It is begun from its own text, so it names nothing that stands
 * outside of it. A pass waits for nobody and lets nobody wait: writers go on, and what readers still need stays in the log.
 */
function serve(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const { path, busyTimeoutMs } = workerData as Task;
  const database = new DatabaseSync(String(path), { timeout: busyTimeoutMs });
  database.exec('PRAGMA synchronous = FULL');
  const pass = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  parentPort?.on('message', () => {
    pass.get();
    parentPort.postMessage(null);
  });
}
