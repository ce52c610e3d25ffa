import { createHash, type Hash } from 'node:crypto';
import { closeSync, openSync, read, writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { AirbatchError, errorMessage } from '../core/errors.ts';
import { openNameless } from './scratch.ts';

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
  dispose(): void;
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
  if (file !== '-') {
    const info = await stat(file).catch((error: unknown) => {
      throw unreadable(basename(file), error);
    });
    if (info.isDirectory()) throw new AirbatchError('FILE_UNREADABLE', `${basename(file)} is a folder, not a file`);
    return measured({ path: file, name: basename(file) }, fileBytesMax, () => undefined, signal);
  }
  const kept = openNameless();
  try {
    await spool(stdin ?? process.stdin, kept.fd, fileBytesMax);
    return await measured({ fd: kept.fd, name: 'standard input' }, fileBytesMax, kept.close, signal);
  } catch (error) {
    kept.close();
    throw error;
  }
}

async function spool(from: AsyncIterable<Uint8Array>, fd: number, bytesMax: number): Promise<void> {
  let bytes = 0;
  for await (const chunk of from) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw tooLarge('standard input', bytesMax);
    for (let done = 0; done < chunk.length; ) done += writeSync(fd, chunk, done);
  }
}

/** Where the bytes are: in a file with a path, or in an open one without a name. */
type Origin = { name: string } & ({ path: string } | { fd: number });

async function measured(
  origin: Origin,
  bytesMax: number,
  dispose: () => void,
  signal: AbortSignal | undefined,
): Promise<Source> {
  const { name } = origin;
  const head: Buffer[] = [];
  let headBytes = 0;
  let bytes = 0;
  const hash = createHash('sha256');
  for await (const chunk of fileChunks(origin, hash, signal)) {
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
      yield* fileChunks(origin, again, laterSignal);
      if (again.digest('hex') !== sha256) {
        throw new AirbatchError('FILE_REJECTED', `${name} was changed while it was being read`);
      }
    },
    dispose,
  };
}

async function* fileChunks(origin: Origin, hash: Hash, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  try {
    const fd = 'path' in origin ? openSync(origin.path, 'r') : origin.fd;
    try {
      let at = 0;
      for (;;) {
        signal?.throwIfAborted();
        const { bytesRead, buffer } = await readAt(fd, Buffer.allocUnsafeSlow(chunkBytes), 0, chunkBytes, at);
        if (bytesRead === 0) return;
        at += bytesRead;
        const chunk = buffer.subarray(0, bytesRead);
        hash.update(chunk);
        yield chunk;
      }
    } finally {
      if ('path' in origin) closeSync(fd);
    }
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw unreadable(origin.name, error);
    throw error;
  }
}

const readAt = promisify(read);

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
