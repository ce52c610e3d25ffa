import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { AirbatchError, errorMessage } from '../core/errors.ts';

/** Bytes read at once: several hundred rows, so that a chunk is worth its turn, and small beside everything else. */
export const chunkBytes = 128 * 1024;

/** A file that can be read more than once, whose bytes are the same each time. */
export interface Source {
  /** For people: the file's name without its folder, or "standard input". */
  name: string;
  bytes: number;
  sha256: string;
  /** The first bytes (at most `headBytesMax`), from which the format is told. */
  head: Buffer;
  /** The bytes from the beginning. Rejects with `FILE_REJECTED` when they are not those of the first reading. */
  chunks(signal?: AbortSignal): AsyncGenerator<Buffer>;
  /** Removes what had to be stored to read standard input more than once. */
  dispose(): Promise<void>;
}

/** How much of the beginning is kept to tell format, encoding and delimiter from. */
export const headBytesMax = 256 * 1024;

export interface SourceOptions {
  /** A path, or "-" for standard input. */
  file: string;
  fileBytesMax: number;
  /** Standard input; only read when `file` is "-". */
  stdin?: AsyncIterable<Uint8Array>;
  signal?: AbortSignal | undefined;
}

/**
 * Opens a file and reads it once to its end for its digest: what a run id is made of must be known before the first row.
 * Throws `FILE_UNREADABLE` where it cannot be read, `FILE_REJECTED` where it is too large.
 */
export async function openSource({ file, fileBytesMax, stdin, signal }: SourceOptions): Promise<Source> {
  if (file !== '-') return measured(file, basename(file), fileBytesMax, async () => undefined, signal);
  const folder = await mkdtemp(join(tmpdir(), 'airbatch-'));
  const dispose = () => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'stdin');
    await spool(stdin ?? process.stdin, path, fileBytesMax);
    return await measured(path, 'standard input', fileBytesMax, dispose, signal);
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function spool(from: AsyncIterable<Uint8Array>, path: string, bytesMax: number): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    let bytes = 0;
    for await (const chunk of from) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw tooLarge('standard input', bytesMax);
      await file.write(chunk);
    }
  } finally {
    await file.close();
  }
}

async function measured(
  path: string,
  name: string,
  bytesMax: number,
  dispose: () => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<Source> {
  const head: Buffer[] = [];
  let headBytes = 0;
  let bytes = 0;
  const hash = createHash('sha256');
  const info = await stat(path).catch((error: unknown) => {
    throw unreadable(name, error);
  });
  if (info.isDirectory()) throw new AirbatchError('FILE_UNREADABLE', `${name} is a folder, not a file`);
  for await (const chunk of fileChunks(path, name, hash, signal)) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw tooLarge(name, bytesMax);
    if (headBytes < headBytesMax) {
      const part = Buffer.from(chunk.subarray(0, headBytesMax - headBytes));
      head.push(part);
      headBytes += part.length;
    }
  }
  const sha256 = hash.digest('hex');
  return {
    name,
    bytes,
    sha256,
    head: Buffer.concat(head),
    async *chunks(laterSignal) {
      const again = createHash('sha256');
      yield* fileChunks(path, name, again, laterSignal);
      if (again.digest('hex') !== sha256) {
        throw new AirbatchError('FILE_REJECTED', `${name} was changed while it was being read`);
      }
    },
    dispose,
  };
}

async function* fileChunks(
  path: string,
  name: string,
  hash: Hash,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  const stream = createReadStream(path, { highWaterMark: chunkBytes });
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      signal?.throwIfAborted();
      hash.update(chunk);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw unreadable(name, error);
    throw error;
  } finally {
    stream.destroy();
  }
}

function unreadable(name: string, error: unknown): AirbatchError {
  const code = (error as { code?: string }).code;
  if (code === 'ENOENT') return new AirbatchError('FILE_UNREADABLE', `there is no file ${name}`, { cause: error });
  const why = code === 'EACCES' ? 'this user may not read it' : errorMessage(error);
  return new AirbatchError('FILE_UNREADABLE', `${name} cannot be read: ${why}`, { cause: error });
}

function tooLarge(name: string, bytesMax: number): AirbatchError {
  return new AirbatchError('FILE_REJECTED', `${name} is larger than ${bytesMax} bytes`, {
    hint: 'Split it, or raise intake.limits.fileBytesMax. Nothing was sent.',
  });
}
