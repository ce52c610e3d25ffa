import { isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { AirbatchError } from '../../core/basics/errors.ts';
import { rejectedFile } from '../../core/basics/rejected-file.ts';
import { firstBytes, withFirst } from './chunks.ts';

/** The encodings that spreadsheets and payroll systems use. */
export type Encoding = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE' | 'Windows-1252';

/** The encoding of the text. `encoding` is only certain when the text was read to its end. */
export interface Decoded {
  encoding: Encoding;
}

/**
 * Converts any of the encodings to UTF-8, chunk by chunk, without the byte order mark. Without a mark, text is UTF-8
 * while it is valid UTF-8, and otherwise Windows-1252; the first character beyond ASCII decides. No byte is ever
 * replaced: bytes that fit neither reject the file with `FILE_REJECTED`.
 */
export async function* decodeText(chunks: AsyncIterable<Buffer>, decoded: Decoded): AsyncGenerator<Buffer> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await firstBytes(iterator, sniffBytes);
  const { encoding, markBytes } = marked(first);
  const rest = withFirst(first.subarray(markBytes), iterator);
  if (encoding === 'UTF-16LE' || encoding === 'UTF-16BE') {
    decoded.encoding = encoding;
    yield* decodeBy(rest, encoding);
  } else {
    decoded.encoding = 'UTF-8';
    yield* decodeUtf8(rest, decoded, markBytes > 0);
  }
}

/** A chunk may have a single byte, and a mark has up to three. */
const sniffBytes = 256;

/** The encoding by its mark. Without one, UTF-16 shows in the zero bytes of its ASCII characters. */
function marked(first: Buffer): { encoding: Encoding; markBytes: number } {
  if (first[0] === 0xef && first[1] === 0xbb && first[2] === 0xbf) return { encoding: 'UTF-8', markBytes: 3 };
  if (first[0] === 0xff && first[1] === 0xfe) return { encoding: 'UTF-16LE', markBytes: 2 };
  if (first[0] === 0xfe && first[1] === 0xff) return { encoding: 'UTF-16BE', markBytes: 2 };
  const pairs = Math.floor(Math.min(first.length, sniffBytes) / 2);
  let evenZeros = 0;
  let oddZeros = 0;
  for (let index = 0; index < pairs; index++) {
    if (first[2 * index] === 0) evenZeros += 1;
    if (first[2 * index + 1] === 0) oddZeros += 1;
  }
  if (pairs > 1 && oddZeros > pairs / 2 && evenZeros === 0) return { encoding: 'UTF-16LE', markBytes: 0 };
  if (pairs > 1 && evenZeros > pairs / 2 && oddZeros === 0) return { encoding: 'UTF-16BE', markBytes: 0 };
  return { encoding: 'UTF-8', markBytes: 0 };
}

async function* decodeUtf8(
  chunks: AsyncIterable<Buffer>,
  decoded: Decoded,
  isCertain: boolean,
): AsyncGenerator<Buffer> {
  let certain = isCertain;
  let carry: Buffer = Buffer.alloc(0);
  let before: Buffer = Buffer.alloc(0);
  const windows = (bytes: Buffer): Buffer => {
    refuseDos(Buffer.concat([before, bytes]));
    return fromWindows1252(bytes);
  };
  const decide = (bytes: Buffer): Buffer => {
    refuseBinary(bytes);
    if (decoded.encoding === 'Windows-1252') return windows(bytes);
    if (isAscii(bytes)) return bytes;
    certain ||= beginsInUtf8(bytes);
    if (certain && isUtf8(bytes)) return bytes;
    if (certain) {
      throw rejectedFile('ENCODING', {}, 'only part of the file is UTF-8: it was damaged, or put together from two', {
        hint: 'Save it again as "CSV UTF-8". Nothing was sent.',
      });
    }
    decoded.encoding = 'Windows-1252';
    return windows(bytes);
  };
  for await (const chunk of chunks) {
    const bytes = carry.length > 0 ? Buffer.concat([carry, chunk]) : chunk;
    const whole = decoded.encoding === 'UTF-8' ? wholeCharacters(bytes) : bytes.length;
    carry = Buffer.from(bytes.subarray(whole));
    if (whole === 0) continue;
    yield decide(bytes.subarray(0, whole));
    before = Buffer.concat([before, bytes.subarray(Math.max(0, whole - 2), whole)]).subarray(-2);
  }
  if (carry.length > 0) yield decide(carry);
}

/** Whether the first character beyond ASCII is UTF-8. It decides for the whole file, wherever chunks end. */
function beginsInUtf8(bytes: Buffer): boolean {
  const at = bytes.findIndex((byte) => byte >= 0x80);
  return at >= 0 && isUtf8(bytes.subarray(at, at + lengthByLead(bytes[at] as number)));
}

function lengthByLead(lead: number): number {
  return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
}

/** How many of the bytes are complete characters, without a cut one at the end. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    return lengthByLead(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function refuseBinary(bytes: Buffer): void {
  if (!bytes.includes(0)) return;
  throw rejectedFile('ENCODING', {}, 'this is not a text file: it contains zero bytes', {
    hint: 'Save the table as "CSV UTF-8", and run that file. Nothing was sent.',
  });
}

/** "Téléphone", "façon" or "être" of MS-DOS. In Windows-1252 these bytes are signs that no word has between letters. */
const lettersOfDos = /[A-Za-z][\x82\x87\x88][A-Za-z]/;

function refuseDos(bytes: Buffer): void {
  if (!lettersOfDos.test(bytes.toString('latin1'))) return;
  const message = 'the file is text of MS-DOS: letters such as "é" would be read as other characters';
  throw rejectedFile('ENCODING', {}, message, {
    hint: 'Save it again as "CSV UTF-8", and not as "CSV (MS-DOS)". Nothing was sent.',
  });
}

const windows1252 = new TextDecoder('windows-1252');

function fromWindows1252(bytes: Buffer): Buffer {
  for (const byte of [0x81, 0x8d, 0x8f, 0x90, 0x9d]) {
    if (bytes.includes(byte)) {
      throw rejectedFile('ENCODING', {}, 'the file is neither UTF-8 nor Windows-1252 text', {
        hint: 'Save it again as "CSV UTF-8". Nothing was sent.',
      });
    }
  }
  return Buffer.from(windows1252.decode(bytes));
}

async function* decodeBy(chunks: AsyncIterable<Buffer>, encoding: 'UTF-16LE' | 'UTF-16BE'): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding.toLowerCase(), { fatal: true, ignoreBOM: true });
  const decode = (bytes: Buffer | undefined): Buffer => {
    try {
      const text = bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
      const buffer = Buffer.from(text);
      refuseBinary(buffer);
      return buffer;
    } catch (error) {
      if (error instanceof AirbatchError) throw error;
      throw rejectedFile('ENCODING', {}, `the file is damaged: it is not ${encoding} to its end`, {
        cause: error,
      });
    }
  };
  for await (const chunk of chunks) {
    const text = decode(chunk);
    if (text.length > 0) yield text;
  }
  const end = decode(undefined);
  if (end.length > 0) yield end;
}
