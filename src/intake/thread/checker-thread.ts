import { Worker } from 'node:worker_threads';
import { type CheckedFile, type CheckOptions, checkFile } from '../check/check-file.ts';
import type { FileRow } from '../rows/file-rows.ts';
import { unpackRows } from '../rows/packed-rows.ts';
import { type CheckerTask, type FromChecker, restoredError, type ToChecker } from './checker-messages.ts';
import { makeMailbox } from './mailbox.ts';

/** Files of so many bytes are worth a thread: to start it takes as long as to check some ten thousand rows. */
const threadBytesMin = 1024 * 1024;

/** Garbage that V8 may let lie in the thread: what is made of several hundred rows is dropped when the next come. */
const youngGenerationMiB = 24;
/**
 * More than any table takes. Below a GiB, V8 collects the garbage of a heap that has doubled; above, of one that has
 * grown four times as large.
 */
const oldGenerationMiB = 1_000;

/**
 * `checkFile` beside the storing of the rows: a large file is read and checked in a thread of its own, so that
 * `onChecked` has this one for itself. What comes of it is the same, and so are the errors.
 */
export function checkSource(options: CheckOptions): Promise<CheckedFile> {
  const isLarge = options.source.bytes >= threadBytesMin;
  return isLarge ? checkInThread(options) : checkFile(options);
}

/** The same for a file of any size. */
export async function checkInThread(options: CheckOptions): Promise<CheckedFile> {
  const { source, settings, catalog, needsNames, signal, onChecked, onProgress } = options;
  const { name, bytes, sha256, head, place } = source;
  if (place === null) return checkFile(options);
  signal?.throwIfAborted();
  const file = { name, bytes, sha256, head, place };
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
  /** The next thing that the thread says. Rejects with what went wrong there. */
  hear(): Promise<FromChecker>;
  /** Makes whoever hears fail. */
  fail(reason: unknown): void;
  /** Stops it, and resolves when it has ended: from then on nobody reads the file. */
  end(): Promise<void>;
}

function startThread(task: CheckerTask): Thread {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const worker = new Worker(new URL(`./checker-worker.${extension}`, import.meta.url), {
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
