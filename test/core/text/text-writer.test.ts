import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { makeTextWriter, type TextWriter } from '../../../src/core/text/text-writer.ts';

/** Short texts and long ones, with everything that UTF-8 or JSON writes otherwise than as it stands. */
const unit = fc.constantFrom(
  'a',
  '7',
  ' ',
  '~',
  '"',
  '\\',
  '/',
  '\n',
  '\u0000',
  '\u001f',
  '\u007f',
  '\u0080',
  'é',
  '😀',
);
const text = fc.oneof(
  fc.string({ unit, maxLength: 12 }),
  fc.string({ unit, minLength: 12, maxLength: 70 }),
  fc.string({ unit: fc.constantFrom('a', '7'), minLength: 12, maxLength: 70 }),
  fc.constantFrom('\ud800', 'a\udc00'),
);
const number = fc.oneof(fc.nat(), fc.maxSafeNat(), fc.constantFrom(0, 9, 10, 99, 100, Number.MAX_SAFE_INTEGER));

interface Piece {
  write(writer: TextWriter): void;
  /** What it must have written. */
  text: string;
}
const follow = fc.constantFrom(undefined, ',', '\n', ']');
const piece: fc.Arbitrary<Piece> = fc.oneof(
  fc.tuple(text, follow).map(([plain, then]) => ({
    write: (writer: TextWriter) => writer.write(plain, then),
    text: `${plain}${then ?? ''}`,
  })),
  fc.tuple(fc.option(text), follow).map(([plain, then]) => ({
    write: (writer: TextWriter) => writer.writeJson(plain, then),
    text: `${JSON.stringify(plain)}${then ?? ''}`,
  })),
  fc.tuple(number, follow).map(([value, then]) => ({
    write: (writer: TextWriter) => writer.writeNumber(value, then),
    text: `${value}${then ?? ''}`,
  })),
);

describe('a writer of texts', () => {
  test('writes them as UTF-8, JSON and digits, one after the other, however small its first buffer', () => {
    fc.assert(
      fc.property(fc.array(fc.array(piece, { maxLength: 8 }), { maxLength: 4 }), fc.nat(100), (takes, room) => {
        const writer = makeTextWriter(room);
        for (const pieces of takes) {
          for (const one of pieces) one.write(writer);
          const written = Buffer.from(pieces.map((one) => one.text).join(''));
          assert.equal(writer.bytes(), written.length);
          assert.deepEqual(Buffer.from(writer.take()), written);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('accepts only whole numbers from 0 on', () => {
    const writer = makeTextWriter(10);
    for (const value of [-1, 0.5, Number.NaN, 2 ** 53]) assert.throws(() => writer.writeNumber(value), /whole/);
  });
});
