import { assert } from '../basics/assert.ts';

/** Texts one behind the other, as UTF-8. What is to follow directly is a character of ASCII, or nothing. */
export interface TextWriter {
  write(text: string, follow?: string): void;
  /** The same text as `JSON.stringify` makes it. */
  writeJson(text: string | null, follow?: string): void;
  /** A whole number from 0 on, in decimal digits. */
  writeNumber(value: number, follow?: string): void;
  /** Bytes written since the last `take`. */
  bytes(): number;
  /** What was written since the last time. It is overwritten by what is written next. */
  take(): Uint8Array;
}

/** A UTF-16 unit takes three bytes of UTF-8 at most, and six where JSON escapes it. */
const bytesPerUnitMax = 6;
/** What a number or the quotes of a text take at most. */
const bytesAroundMax = 32;
/**
 * Up to so many characters, a text of ASCII is written one by one in less time than a call takes (measured: 3 ns each,
 * and 47 ns).
 */
const shortMax = 16;
/** The same where it is written as JSON, for which a longer one takes two calls, and a copy. */
const shortJsonMax = 40;

/** Numbers of 31 bits are divided in a fraction of the time. */
const digitsAtOnceMax = 2 ** 31 - 1;

const quote = 0x22;
const backslash = 0x5c;
const space = 0x20;
const zero = 0x30;
const asciiEnd = 0x7f;

/**
 * Writes texts out at once: a long text to which others are added hangs on to all of their parts, which the garbage
 * collector then moves about. So a row is best written piece by piece, without a text that joins them.
 */
export function makeTextWriter(bytesMin: number): TextWriter {
  let buffer = Buffer.allocUnsafeSlow(bytesMin);
  let used = 0;
  const makeRoom = (units: number) => {
    const needed = used + units * bytesPerUnitMax + bytesAroundMax;
    if (needed <= buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * buffer.length));
    buffer.copy(larger, 0, 0, used);
    buffer = larger;
  };
  const putFollow = (follow: string | undefined) => {
    if (follow === undefined) return;
    buffer[used] = follow.charCodeAt(0);
    used += 1;
  };
  return {
    write(text, follow) {
      makeRoom(text.length);
      used = text.length <= shortMax ? putShort(buffer, used, text) : used + buffer.write(text, used);
      putFollow(follow);
    },
    writeJson(text, follow) {
      makeRoom(text?.length ?? 0);
      used = putJson(buffer, used, text);
      putFollow(follow);
    },
    writeNumber(value, follow) {
      makeRoom(0);
      used = putNumber(buffer, used, value);
      putFollow(follow);
    },
    bytes: () => used,
    take() {
      const taken = buffer.subarray(0, used);
      used = 0;
      return taken;
    },
  };
}

/** Each of these writes from `at` on, and returns where what it wrote ends. */
function putShort(bytes: Buffer, at: number, text: string): number {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit > asciiEnd) return at + bytes.write(text, at);
    bytes[at + index] = unit;
  }
  return at + text.length;
}

function putJson(bytes: Buffer, at: number, text: string | null): number {
  if (text === null) return putShort(bytes, at, 'null');
  if (text.length > shortJsonMax) return at + bytes.write(JSON.stringify(text), at);
  bytes[at] = quote;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    const isPlain = unit >= space && unit <= asciiEnd && unit !== quote && unit !== backslash;
    if (!isPlain) return at + bytes.write(JSON.stringify(text), at);
    bytes[at + 1 + index] = unit;
  }
  bytes[at + 1 + text.length] = quote;
  return at + text.length + 2;
}

function putNumber(bytes: Buffer, at: number, value: number): number {
  assert(Number.isSafeInteger(value) && value >= 0, 'only whole numbers are written digit by digit');
  if (value > digitsAtOnceMax) return putShort(bytes, at, String(value));
  let end = at + 1;
  for (let rest = value; rest >= 10; rest = (rest / 10) | 0) end += 1;
  for (let index = end - 1, rest = value; index >= at; index--) {
    bytes[index] = zero + (rest % 10);
    rest = (rest / 10) | 0;
  }
  return end;
}
