import { Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import type { AirbatchError } from '../../core/basics/errors.ts';
import { rejectedFile } from '../../core/basics/rejected-file.ts';
import { refuseBomb, type UnpackLimits } from '../file/unpack.ts';

/** A zip archive in memory, whose directory has been checked. */
export interface ZipArchive {
  has(name: string): boolean;
  /** The unpacked size of an entry. */
  bytesOf(name: string): number;
  /** The unpacked bytes of an entry, and never more than its directory declares. */
  read(name: string): AsyncGenerator<Buffer>;
}

interface ZipEntry {
  /** 0: stored; 8: deflated. */
  method: number;
  crc: number;
  packed: number;
  unpacked: number;
  /** The position of its local header. */
  at: number;
}

/** A workbook has some twenty entries, and one more for each sheet, picture and comment. */
const entriesMax = 2_000;

const endSignature = 0x06054b50;
const directorySignature = 0x02014b50;
const localSignature = 0x04034b50;
const endBytes = 22;
const directoryBytes = 46;
const localBytes = 30;
const commentBytesMax = 0xffff;

/**
 * Opens an archive by its directory, which declares the unpacked size of each entry: nothing is unpacked before that is
 * within the limits. Throws `FILE_REJECTED` if it is not, or if the archive is damaged.
 */
export function openZip(archive: Buffer, limits: UnpackLimits): ZipArchive {
  const entries = readDirectory(archive);
  let unpacked = 0;
  for (const entry of entries.values()) unpacked += entry.unpacked;
  refuseBomb(unpacked, archive.length, limits);
  return {
    has: (name) => entries.has(name),
    bytesOf: (name) => entries.get(name)?.unpacked ?? 0,
    async *read(name) {
      const entry = entries.get(name);
      if (!entry) throw damagedWorkbook(`it has no ${name}`);
      yield* unpack(archive, entry);
    },
  };
}

function readDirectory(archive: Buffer): Map<string, ZipEntry> {
  const end = endOf(archive);
  const count = archive.readUInt16LE(end + 10);
  if (count > entriesMax) throw damagedWorkbook(`it has more than ${entriesMax} entries`);
  const entries = new Map<string, ZipEntry>();
  let at = archive.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    if (at + directoryBytes > archive.length || archive.readUInt32LE(at) !== directorySignature) {
      throw damagedWorkbook('its directory is broken');
    }
    const nameBytes = archive.readUInt16LE(at + 28);
    const nameEnd = at + directoryBytes + nameBytes;
    const name = archive.toString('utf8', at + directoryBytes, nameEnd);
    if (entries.has(name)) throw damagedWorkbook('it has an entry twice');
    const extraEnd = nameEnd + archive.readUInt16LE(at + 30);
    const largeOr = largeNumbers(archive.subarray(nameEnd, extraEnd));
    entries.set(name, {
      method: archive.readUInt16LE(at + 10),
      crc: archive.readUInt32LE(at + 16),
      // In this order, as in the extra field.
      unpacked: largeOr(archive.readUInt32LE(at + 24)),
      packed: largeOr(archive.readUInt32LE(at + 20)),
      at: largeOr(archive.readUInt32LE(at + 42)),
    });
    at = extraEnd + archive.readUInt16LE(at + 32);
  }
  return entries;
}

/**
 * Stands for a number that is in the extra field of an entry (ZIP64). Some programs write all numbers there, also small
 * ones.
 */
const isInExtra = 0xffff_ffff;
const zip64Id = 0x0001;

/** Takes the next number of the extra field instead of one that only stands for it. */
function largeNumbers(extra: Buffer): (number: number) => number {
  let [next, end] = [0, 0];
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2))
    if (extra.readUInt16LE(at) === zip64Id) [next, end] = [at + 4, at + 4 + extra.readUInt16LE(at + 2)];
  return (number) => {
    if (number !== isInExtra || next + 8 > Math.min(end, extra.length)) return number;
    next += 8;
    return Number(extra.readBigUInt64LE(next - 8));
  };
}

/** The position of the record that ends the archive; a comment may follow it. */
function endOf(archive: Buffer): number {
  const first = Math.max(0, archive.length - endBytes - commentBytesMax);
  for (let at = archive.length - endBytes; at >= first; at--) {
    if (archive.readUInt32LE(at) === endSignature) return at;
  }
  throw damagedWorkbook('it was cut short');
}

async function* unpack(archive: Buffer, { method, crc, packed, unpacked, at }: ZipEntry): AsyncGenerator<Buffer> {
  const isThere = at + localBytes <= archive.length && archive.readUInt32LE(at) === localSignature;
  const start = isThere ? at + localBytes + archive.readUInt16LE(at + 26) + archive.readUInt16LE(at + 28) : 0;
  if (!isThere || start + packed > archive.length) throw damagedWorkbook('a part of it is missing');
  if (method !== 0 && method !== 8) throw damagedWorkbook('it is packed in a way that no workbook is');
  const data = archive.subarray(start, start + packed);
  let bytes = 0;
  let sum = 0;
  for await (const chunk of method === 0 ? [data] : inflate(data)) {
    bytes += chunk.length;
    if (bytes > unpacked) break;
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (bytes !== unpacked || sum !== crc) throw damagedWorkbook('a part of it is not as it was written');
}

async function* inflate(data: Buffer): AsyncGenerator<Buffer> {
  const inflater = Readable.from([data]).pipe(createInflateRaw());
  try {
    for await (const chunk of inflater as AsyncIterable<Buffer>) yield chunk;
  } catch (error) {
    throw damagedWorkbook('a part of it cannot be unpacked', error);
  } finally {
    inflater.destroy();
  }
}

/** The rejection of a damaged workbook. */
export function damagedWorkbook(why: string, cause?: unknown): AirbatchError {
  return rejectedFile('DAMAGED', {}, `the workbook cannot be read: ${why}`, {
    cause,
    hint: 'Save it again as an Excel workbook (.xlsx), or save the sheet as "CSV UTF-8". Nothing was sent.',
  });
}
