import { createHash, type Hash } from 'node:crypto';
import { closeSync, createReadStream, openSync, read, writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';
import { AirbatchError, errorMessage, reasonOf } from '../../core/basics/errors.ts';
import { type FileReason, rejectedFile } from '../../core/basics/rejected-file.ts';
import { requireWorkbook } from './format.ts';
import { openNameless } from './scratch-files.ts';

/** Bytes of one read: some thousand rows, so that a read is worth its overhead. */
const readBytes = 128 * 1024;
/** Bytes that are processed together: what several hundred rows become easily fits into V8's young generation. */
const chunkBytes = 32 * 1024;

/** Where the bytes are: in a file with a path, or in an open file without a name. */
export type Place = { path: string } | { fd: number };

/** Facts about the sheet from which airbatch made a text. Numbers in the text are as the workbook stored them. */
export interface FromSheet {
  /** The indexes of the columns that the sheet hides. */
  hiddenColumns: readonly number[];
}

/** The facts of a file after it was read to its end: enough for another thread to read the same bytes. */
export interface FileFacts {
  /** For people: the file's name without its folder, or "standard input". */
  name: string;
  bytes: number;
  sha256: string;
  /** The first bytes (at most `headBytesMax`), which show the format. */
  head: Uint8Array;
  place: Place;
  fromSheet: FromSheet | null;
}

/** A file that can be read several times, with the same bytes each time. */
export interface Source extends Omit<FileFacts, 'head' | 'place'> {
  head: Buffer;
  /** Null if it is not a file. */
  place: Place | null;
  /** The bytes from the beginning. Rejects with `FILE_REJECTED` if they differ from the first reading. */
  chunks(signal?: AbortSignal): AsyncGenerator<Buffer>;
  /** Removes what was stored to read standard input, or a pipe, more than once. */
  dispose(): void;
}

/** How many of the first bytes are kept to detect format, encoding and delimiter. */
export const headBytesMax = 256 * 1024;

export interface SourceOptions {
  /** A path, or "-" for standard input. */
  file: string;
  fileBytesMax: number;
  /**
   * Whether a sheet was named for this file, which must then be a workbook. A sheet in the configuration is only for
   * workbooks.
   */
  sheetIsNamed?: boolean | undefined;
  /** Facts about the sheet if the file's text was made from one; null otherwise. */
  fromSheet?: FromSheet | null | undefined;
  /** Standard input; only read when `file` is "-". */
  stdin?: AsyncIterable<Uint8Array> | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Opens a file and reads it once to its end for its digest: what a run id is made of must be known before the first
 * row. Throws `FILE_UNREADABLE` where it cannot be read, `FILE_REJECTED` where it is too large, `USAGE` where a sheet
 * was named and it has none.
 */
export async function openSource({ file, stdin, ...limits }: SourceOptions): Promise<Source> {
  if (file !== '-') {
    const info = await stat(file).catch((error: unknown) => {
      throw unreadable(basename(file), error, dirname(file));
    });
    if (info.isDirectory()) {
      const reason = reasonOf<FileReason>('FILE_FOLDER', { file: basename(file) });
      throw new AirbatchError('FILE_UNREADABLE', `${basename(file)} is a folder, not a file`, { reason });
    }
    if (info.isFile()) return measured({ path: file, name: basename(file) }, limits, () => undefined);
    // A pipe, such as a shell's <(...), gives its bytes once.
    return spooled(basename(file), createReadStream(file, { signal: limits.signal }), limits);
  }
  return spooled('standard input', stdin ?? process.stdin, limits);
}

type Limits = Pick<SourceOptions, 'fileBytesMax' | 'sheetIsNamed' | 'fromSheet' | 'signal'>;

/** Keeps what can be read only once in a file without a name. */
async function spooled(name: string, from: AsyncIterable<Uint8Array>, limits: Limits): Promise<Source> {
  const kept = openNameless();
  try {
    await spool(name, from, kept.fd, limits.fileBytesMax);
    return await measured({ fd: kept.fd, name }, limits, kept.close);
  } catch (error) {
    kept.close();
    // What cannot be kept is not the fault of what was given.
    const isReading = error instanceof Error && 'syscall' in error && error.syscall !== 'write';
    throw isReading ? unreadable(name, error) : error;
  }
}

async function spool(name: string, from: AsyncIterable<Uint8Array>, fd: number, bytesMax: number): Promise<void> {
  let bytes = 0;
  for await (const chunk of from) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw tooLarge(name, bytesMax);
    for (let done = 0; done < chunk.length; ) done += writeSync(fd, chunk, done);
  }
}

async function measured(
  { name, ...place }: Place & { name: string },
  { fileBytesMax, sheetIsNamed, fromSheet = null, signal }: Limits,
  dispose: () => void,
): Promise<Source> {
  const head: Buffer[] = [];
  let headBytes = 0;
  let bytes = 0;
  const hash = createHash('sha256');
  // Nothing of it is kept, so one buffer will do: of a large file they would be thousands.
  const looked = Buffer.allocUnsafeSlow(readBytes);
  for await (const chunk of fileChunks(name, place, hash, signal, () => looked)) {
    bytes += chunk.length;
    if (bytes > fileBytesMax) throw tooLarge(name, fileBytesMax);
    if (headBytes < headBytesMax) {
      const part = Buffer.from(chunk.subarray(0, headBytesMax - headBytes));
      head.push(part);
      headBytes += part.length;
    }
  }
  const read = { name, bytes, sha256: hash.digest('hex'), head: Buffer.concat(head) };
  const source = sourceOf({ ...read, place, fromSheet }, dispose);
  if (sheetIsNamed) requireWorkbook(source);
  return source;
}

/** A file that was read before. */
export function sourceOf({ name, bytes, sha256, head, place, fromSheet }: FileFacts, dispose: () => void): Source {
  return {
    name,
    bytes,
    sha256,
    head: Buffer.from(head.buffer, head.byteOffset, head.byteLength),
    place,
    fromSheet,
    async *chunks(signal) {
      const again = createHash('sha256');
      yield* fileChunks(name, place, again, signal, () => Buffer.allocUnsafeSlow(readBytes));
      if (again.digest('hex') !== sha256) {
        throw rejectedFile('DAMAGED', {}, `${name} was changed while it was being read`);
      }
    },
    dispose,
  };
}

async function* fileChunks(
  name: string,
  place: Place,
  hash: Hash,
  signal: AbortSignal | undefined,
  makeBuffer: () => Buffer,
): AsyncGenerator<Buffer> {
  try {
    const fd = 'path' in place ? openSync(place.path, 'r') : place.fd;
    try {
      let at = 0;
      for (;;) {
        signal?.throwIfAborted();
        const { bytesRead, buffer } = await readAt(fd, makeBuffer(), 0, readBytes, at);
        if (bytesRead === 0) return;
        at += bytesRead;
        hash.update(buffer.subarray(0, bytesRead));
        for (let from = 0; from < bytesRead; from += chunkBytes) {
          yield buffer.subarray(from, Math.min(from + chunkBytes, bytesRead));
        }
      }
    } finally {
      if ('path' in place) closeSync(fd);
    }
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw unreadable(name, error);
    throw error;
  }
}

const readAt = promisify(read);

/** `folder` where a file that was named is missing: people look for it there. */
function unreadable(name: string, error: unknown, folder?: string): AirbatchError {
  const code = (error as { code?: string }).code;
  if (code === 'ENOENT') {
    const place = folder === undefined ? '' : ` in ${folder}`;
    const reason = folder === undefined ? null : reasonOf<FileReason>('FILE_MISSING', { file: name, folder });
    return new AirbatchError('FILE_UNREADABLE', `there is no file ${name}${place}`, { reason, cause: error });
  }
  const why = code === 'EACCES' ? 'this user may not read it' : errorMessage(error);
  return new AirbatchError('FILE_UNREADABLE', `${name} cannot be read: ${why}`, { cause: error });
}

function tooLarge(name: string, bytesMax: number): AirbatchError {
  return rejectedFile('TOO_LARGE', { bytes: bytesMax }, `${name} is larger than ${bytesMax} bytes`, {
    hint: 'Split it, or raise intake.limits.fileBytesMax. Nothing was sent.',
  });
}
