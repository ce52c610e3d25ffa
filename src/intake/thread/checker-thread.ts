import { Worker } from 'node:worker_threads';
import { programModule } from '../../core/basics/package-files.ts';
import { type CheckedFile, type CheckOptions, checkFile } from '../check/check-file.ts';
import type { FileRow } from '../rows/file-rows.ts';
import { unpackRows } from '../rows/packed-rows.ts';
import { type CheckerTask, type FromChecker, restoredError, type ToChecker } from './checker-messages.ts';
import { makeMailbox } from './mailbox.ts';

/** Files from this size on get a thread: starting it takes as long as checking about ten thousand rows. */
const threadBytesMin = 1024 * 1024;

/** Garbage that V8 may keep in the thread: the objects of several hundred rows are dropped when the next rows come. */
const youngGenerationMiB = 24;
/**
 * More than any table needs. Below a GiB, V8 collects a heap that has doubled; above, one that has grown to four times.
 */
const oldGenerationMiB = 1_000;

/**
 * Runs `checkFile` in parallel with the storing of the rows: a large file is read and checked in a thread of its own,
 * so that `onChecked` has this thread for itself. The result and the errors are the same as without a thread.
 */
export function checkSource(options: CheckOptions): Promise<CheckedFile> {
  const isLarge = options.source.bytes >= threadBytesMin;
  return isLarge ? checkInThread(options) : checkFile(options);
}

/** The same in a thread, for a file of any size. */
export async function checkInThread(options: CheckOptions): Promise<CheckedFile> {
  const { source, settings, catalog, needsNames, signal, onChecked, onProgress } = options;
  const { name, bytes, sha256, head, place, fromSheet } = source;
  if (place === null) return checkFile(options);
  signal?.throwIfAborted();
  const file = { name, bytes, sha256, head, place, fromSheet };
  const thread = startThread({ file, settings, hasCatalog: catalog !== null, needsNames });
  const stop = () => thread.fail(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      const message = await thread.hear();
      signal?.throwIfAborted();
      if (message.kind === 'rows') {
        await onChecked?.(message.rows);
        thread.say({ kind: 'stored' });
      } else if (message.kind === 'progress') {
        onProgress?.(message.progress);
      } else if (message.kind === 'networks') {
        thread.say({ kind: 'networks', networks: (await catalog?.networks(message.country)) ?? null });
      } else if (message.kind === 'products') {
        thread.say({ kind: 'products', products: (await catalog?.products(message.networkId)) ?? null });
      } else if (message.kind === 'checked') {
        return {
          ...message.file,
          rows: (rowsPerChunk) => comparedRows(thread, rowsPerChunk, signal),
          dispose: async () => {
            signal?.removeEventListener('abort', stop);
            await thread.end();
          },
        };
      }
    }
  } catch (error) {
    signal?.removeEventListener('abort', stop);
    await thread.end();
    throw error;
  }
}

async function* comparedRows(
  thread: Thread,
  rowsPerChunk: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<FileRow[]> {
  for (;;) {
    thread.say({ kind: 'compare', rowsPerChunk });
    const message = await thread.hear();
    signal?.throwIfAborted();
    if (message.kind !== 'compared' || message.rows === null) return;
    yield unpackRows(message.rows);
  }
}

interface Thread {
  say(message: ToChecker): void;
  /** The next message of the thread. Rejects with the error that occurred there. */
  hear(): Promise<FromChecker>;
  /** Makes `hear` reject. */
  fail(reason: unknown): void;
  /** Stops the thread, and resolves when it has ended. From then on nothing reads the file. */
  end(): Promise<void>;
}

function startThread(task: CheckerTask): Thread {
  const worker = new Worker(programModule('intake/thread/checker-worker.ts'), {
    workerData: task,
    resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMiB, maxOldGenerationSizeMb: oldGenerationMiB },
  });
  const said = makeMailbox<FromChecker>();
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', (code) => {
      said.fail(new Error(`the thread that reads the file has ended with code ${code}`));
      resolve();
    });
  });
  worker.on('message', said.put);
  worker.on('error', said.fail);
  return {
    say: (message) => worker.postMessage(message),
    async hear() {
      const message = await said.take();
      if (message.kind === 'failed') throw restoredError(message.error);
      return message;
    },
    fail: said.fail,
    async end() {
      worker.postMessage({ kind: 'end' } satisfies ToChecker);
      await exited;
    },
  };
}
