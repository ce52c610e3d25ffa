import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { rejectedFile } from '../../core/basics/rejected-file.ts';

export interface UnpackLimits {
  unpackedBytesMax: number;
  unpackRatioMax: number;
}

/**
 * Below this size the ratio is not checked: a few repeated lines may unpack to a thousand times their size, and do no
 * harm.
 */
const ratioFreeBytes = 16 * 2 ** 20;

/**
 * The bytes in a gzip file. Throws `FILE_REJECTED` if it is damaged or cut short, or unpacks to more than the limits.
 */
export async function* gunzip(chunks: AsyncIterable<Buffer>, limits: UnpackLimits): AsyncGenerator<Buffer> {
  let packed = 0;
  const counted = async function* () {
    for await (const chunk of chunks) {
      packed += chunk.length;
      yield chunk;
    }
  };
  const source = Readable.from(counted(), { objectMode: true, highWaterMark: 1 });
  const unpacker = createGunzip();
  // `pipe` does not forward errors of the source.
  source.on('error', (error) => unpacker.destroy(error));
  source.pipe(unpacker);
  let unpacked = 0;
  try {
    for await (const chunk of unpacker as AsyncIterable<Buffer>) {
      unpacked += chunk.length;
      refuseBomb(unpacked, packed, limits);
      yield chunk;
    }
  } catch (error) {
    throw explained(error);
  } finally {
    source.destroy();
    unpacker.destroy();
  }
}

/** Throws `FILE_REJECTED` if so few bytes unpack to so many that the file was made to do harm. */
export function refuseBomb(unpacked: number, packed: number, limits: UnpackLimits): void {
  if (unpacked > limits.unpackedBytesMax) {
    throw rejectedFile(
      'TOO_LARGE',
      { bytes: limits.unpackedBytesMax },
      `the file unpacks to more than ${limits.unpackedBytesMax} bytes`,
      {
        hint: 'Split it, or raise intake.limits.unpackedBytesMax. Nothing was sent.',
      },
    );
  }
  if (unpacked > ratioFreeBytes && unpacked > packed * limits.unpackRatioMax) {
    throw rejectedFile(
      'TOO_LARGE',
      { bytes: packed * limits.unpackRatioMax },
      `the file unpacks to more than ${limits.unpackRatioMax} times its size, which no table does`,
      { hint: 'Ask where it comes from, or raise intake.limits.unpackRatioMax. Nothing was sent.' },
    );
  }
}

function explained(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!code.startsWith('Z_')) return error;
  const why = code === 'Z_BUF_ERROR' ? 'it was cut short' : 'it was damaged';
  return rejectedFile('DAMAGED', {}, `the gzip file cannot be unpacked: ${why}`, { cause: error });
}
