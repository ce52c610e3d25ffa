import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { AirbatchError } from '../../../src/core/basics/errors.ts';
import { csvRows } from '../../../src/intake/file/csv-rows.ts';
import type { QuoteDoubt } from '../../../src/intake/file/record-chunk.ts';
import { check } from '../support.ts';

interface Told {
  records: string[][];
  lines: number[];
  doubts: [number, QuoteDoubt][];
  endsOpen: boolean;
  bytes: number;
}

async function told(text: string, chunkBytes: number, delimiter: string, hasSeparatorLine: boolean): Promise<Told> {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
  const all: Told = { records: [], lines: [], doubts: [], endsOpen: false, bytes: 0 };
  for await (const chunk of csvRows(chunks(), {
    delimiter,
    rowBytesMax: 60,
    hasSeparatorLine,
    headerLine: 1,
    above: [],
    isOwn: false,
  })) {
    for (const [index, doubt] of chunk.doubts) all.doubts.push([index + all.records.length, doubt]);
    all.records.push(...chunk.records);
    all.lines.push(...chunk.lines);
    all.endsOpen = chunk.endsOpen;
    all.bytes = chunk.bytes;
  }
  return all;
}

async function outcome(telling: Promise<Told>): Promise<Told | string> {
  try {
    return await telling;
  } catch (error) {
    assert.ok(error instanceof AirbatchError);
    return error.message;
  }
}

/** A quote in a first line that is left out: whatever follows is the parser's. */
const quotedLine = '"quoted"\n';

async function byParser(text: string, chunkBytes: number, delimiter: string): Promise<Told | string> {
  const found = await outcome(told(quotedLine + text, chunkBytes, delimiter, true));
  if (typeof found === 'string') return found.replace(/line (\d+)/, (_, line) => `line ${Number(line) - 1}`);
  const { lines, bytes } = found;
  return { ...found, lines: lines.map((line) => line - 1), bytes: bytes === 0 ? 0 : bytes - quotedLine.length };
}

const piece = fc.constantFrom(
  'a',
  'b',
  '+254',
  '10.5',
  ' ',
  'é',
  '😀',
  ',',
  ',',
  ';',
  '\t',
  '\n',
  '\n',
  '\r\n',
  '\r',
  "'",
);
/** A last line without anything to see is no row that could be cut short. */
const plain = fc
  .tuple(fc.array(piece, { maxLength: 60 }), fc.constantFrom('z', '\n'))
  .map(([pieces, ending]) => pieces.join('') + ending);

describe('text without quotes', () => {
  test('is read as by the parser, wherever chunks end', async () => {
    await fc.assert(
      fc.asyncProperty(
        plain,
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(',', ';', '\t'),
        async (text, size, sign) => {
          // Where chunks end differs between the two, and with it only how far the bytes were read.
          const own = { ...(await told(text, size, sign, false)), bytes: 0 };
          const parsed = await byParser(text, size, sign);
          assert.ok(typeof parsed !== 'string', String(parsed));
          assert.deepEqual(own, { ...parsed, bytes: 0 });
        },
      ),
      { numRuns: 3_000 },
    );
  });

  test('can be followed by text with quotes without a lost, doubled or renumbered row', async () => {
    const quoted = fc.constantFrom('"x, y"', '"a\nb"', '"', 'a"b', '""', '"c",d\n', '"1\r\n2",3\n');
    const mixed = fc.array(fc.oneof({ weight: 8, arbitrary: piece }, { weight: 1, arbitrary: quoted }), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(mixed, fc.integer({ min: 1, max: 40 }), async (pieces, size) => {
        const text = `${pieces.join('')}\n`;
        const own = await outcome(told(text, size, ',', false));
        const parsed = await byParser(text, size, ',');
        const comparable = (found: Told | string) => (typeof found === 'string' ? found : { ...found, bytes: 0 });
        assert.deepEqual(comparable(own), comparable(parsed));
      }),
      { numRuns: 3_000 },
    );
  });

  test('that is too long for a row is refused with the same message', async () => {
    const text = `a,b\n1,${'x'.repeat(80)}\n`;
    for (const size of [1, 7, 1_000]) {
      const own = await outcome(told(text, size, ',', false));
      assert.match(String(own), /the row that begins on line 2 is longer than 60 bytes/);
      assert.equal(own, await byParser(text, size, ','));
    }
  });

  test('reports how many bytes were read', async () => {
    assert.equal((await told('a,b\n1,2\n"3",4\n5,6\n', 5, ',', false)).bytes, 18);
    assert.equal((await told('a,b\n1,2', 5, ',', false)).bytes, 7);
  });

  test('is kept as JSON with every character', async () => {
    const unit = fc.constantFrom(
      'a',
      '\\',
      '\t',
      '\u0001',
      '\u001f',
      '\u007f',
      '\u2028',
      'é',
      '😀',
      '\ufeff',
      "'",
      '\n',
    );
    const cells = fc.array(fc.string({ unit, maxLength: 4 }), { minLength: 1, maxLength: 4 });
    const settings = fc.constantFrom({}, { guards: { trailer: 'TOTAL' } });
    await fc.assert(
      fc.asyncProperty(
        fc.array(cells, { maxLength: 6 }),
        fc.constantFrom(',', '\t'),
        settings,
        async (rows, sign, given) => {
          // What separates cells and rows stands in none of them.
          const apart = rows.map((row) => row.map((cell) => `x${cell.replaceAll(sign, '').replaceAll('\n', '')}`));
          const lines = [
            ['phone_number', 'network_id', 'amount', 'currency'],
            ...apart,
            ...('guards' in given ? [['TOTAL', String(rows.length)]] : []),
          ];
          if (rows.length === 0) return;
          const text = `${lines.map((line) => line.join(sign)).join('\n')}\n`;
          const { rows: checked } = await check(text, { settings: given, chunkBytes: 300 });
          assert.deepEqual(
            checked.map(({ input }) => input),
            apart.map((row) => JSON.stringify(row)),
          );
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
