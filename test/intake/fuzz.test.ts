import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { writeXlsx } from 'hucre/xlsx';
import { AirbatchError } from '../../src/core/basics/errors.ts';
import { problemTable } from '../../src/core/state/problem-table.ts';
import { type CheckedContent, check } from './support.ts';

const corpus = join(import.meta.dirname, 'corpus');

/**
 * What came of any bytes: a rejection in one sentence, or rows that are all accounted for. Anything else is a failure.
 */
async function outcome(bytes: Buffer, chunkBytes?: number): Promise<CheckedContent | string> {
  try {
    const checked = await check(bytes, chunkBytes === undefined ? {} : { chunkBytes });
    accountedFor(checked);
    return checked;
  } catch (error) {
    assert.ok(error instanceof AirbatchError, error instanceof Error ? error.stack : String(error));
    assert.equal(error.code, 'FILE_REJECTED');
    assert.ok(error.message.length < 2_000);
    return error.message;
  }
}

function accountedFor({ findings, rows }: CheckedContent): void {
  const { counts } = findings;
  assert.equal(counts.valid + counts.invalid + counts.held + counts.skipped, counts.rows);
  assert.equal(rows.length, counts.rows);
  const refs = new Set<string>();
  for (const [index, row] of rows.entries()) {
    assert.equal(row.row_no, index + 1);
    assert.ok(Array.isArray(JSON.parse(row.input)));
    for (const { code } of row.problems) assert.ok(Object.hasOwn(problemTable, code), code);
    if (row.status === 'invalid') {
      assert.notEqual(row.problems.length, 0);
      continue;
    }
    // What may be sent is whole, and has an identity of its own.
    assert.match(row.phone_number ?? '', /^\+[1-9][0-9]{6,14}$/);
    assert.ok(Number.isSafeInteger(row.network_id));
    assert.ok((row.amount === null) !== (row.product_id === null));
    assert.ok(row.amount === null || (/^(0|[1-9][0-9]*)(\.[0-9]+)?$/.test(row.amount) && Number(row.amount) > 0));
    assert.ok(row.row_ref !== null && !refs.has(row.row_ref));
    refs.add(row.row_ref);
  }
}

const header = ['phone_number', 'network_id', 'amount', 'currency', 'reference', 'note'];

/** Cells as people and enemies write them. */
const nastyText = fc.string({
  unit: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...'0123456789+-.,;|:/()= abcXYZ') },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        '"',
        "'",
        '\n',
        '\r\n',
        '\t',
        '\u00A0',
        '\u200B',
        '\uFEFF',
        '\u202E',
        '٣',
        '😀',
        'é',
        '€',
      ),
    },
  ),
  maxLength: 24,
});
const phone = fc.oneof(
  fc.integer({ min: 0, max: 999_999 }).map((n) => `+254712${String(n).padStart(6, '0')}`),
  fc.constantFrom('0712345678', '2.54713E+11', "'+254712345678", '٠٧١٢٣٤٥٦٧٨', ''),
  nastyText,
);
const amount = fc.oneof(
  fc.integer({ min: 1, max: 100_000 }).map(String),
  fc.constantFrom('1.234', '1,234', '1.234,50', '1,234.50', '0', '-5', '(5)', '10.505', 'KES 5'),
  nastyText,
);
const row = fc.tuple(
  phone,
  fc.oneof(fc.constantFrom('1', '2', ''), nastyText),
  amount,
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom('KES', 'UGX', 'TND', '') }, { weight: 1, arbitrary: nastyText }),
  fc.oneof(fc.constantFrom('', 'A', 'B', 'C'), nastyText),
  nastyText,
);
const rows = fc.array(row, { minLength: 1, maxLength: 12 });
const form = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
  encoding: fc.constantFrom('utf8', 'utf8-mark', 'utf16le', 'utf16be', 'gzip'),
  quoted: fc.boolean(),
});
type Form = typeof form extends fc.Arbitrary<infer Value> ? Value : never;

function written(table: readonly (readonly string[])[], { delimiter, lineEnd, encoding, quoted }: Form): Buffer {
  const text = stringify([header, ...table] as string[][], {
    delimiter,
    record_delimiter: lineEnd,
    quoted,
    // Whatever ends lines for any reader has to stand in quotes, not only what ends them here.
    quoted_match: /[\r\n]/,
  });
  if (encoding === 'utf8-mark') return Buffer.from(`\uFEFF${text}`);
  if (encoding === 'utf16le') return Buffer.from(`\uFEFF${text}`, 'utf16le');
  if (encoding === 'utf16be') return Buffer.from(`\uFEFF${text}`, 'utf16le').swap16();
  return encoding === 'gzip' ? gzipSync(text) : Buffer.from(text);
}

const isBlank = (cells: readonly string[]) => cells.every((cell) => cell.trim() === '');
const runs = { numRuns: 300, seed: 20_261_121 };

describe('intake, given anything,', () => {
  for (const name of readdirSync(corpus).filter((file) => file !== 'expected.json')) {
    test(`accounts for or rejects the nasty file ${name}, in chunks of any size`, async () => {
      const expected = JSON.parse(readFileSync(join(corpus, 'expected.json'), 'utf8')) as Record<string, unknown>;
      const bytes = readFileSync(join(corpus, name));
      for (const chunkBytes of [128 * 1024, 7]) {
        const found = await outcome(bytes, chunkBytes);
        const problems = (checked: CheckedContent) =>
          checked.rows.map(({ problems: own }) => own.map(({ code }) => code));
        assert.deepEqual(typeof found === 'string' ? found : problems(found), expected[name]);
      }
    });
  }

  test('accounts for every row, or rejects the file in one sentence, for any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 600 }), (bytes) => outcome(Buffer.from(bytes)).then(() => undefined)),
      runs,
    );
  });

  test('does the same for damaged tables, in chunks of any size', async () => {
    const damage = fc.array(
      fc.record({ at: fc.nat(), kind: fc.constantFrom('flip', 'cut', 'drop', 'double'), byte: fc.nat(255) }),
      { minLength: 1, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(rows, form, damage, fc.integer({ min: 1, max: 40 }), async (table, how, damages, chunkBytes) => {
        let bytes = written(table, how);
        for (const { at, kind, byte } of damages) {
          const place = at % Math.max(1, bytes.length);
          if (kind === 'flip' && bytes.length > 0) bytes[place] = byte;
          else if (kind === 'cut') bytes = bytes.subarray(0, place);
          else if (kind === 'drop') bytes = Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + 1)]);
          else bytes = Buffer.concat([bytes.subarray(0, place), bytes.subarray(Math.floor(place / 2))]);
        }
        const whole = await outcome(bytes);
        const pieces = await outcome(bytes, chunkBytes);
        // What is wrong in two ways may be found wrong in either.
        if (typeof whole === 'string' || typeof pieces === 'string') assert.equal(typeof pieces, typeof whole);
        else assert.deepEqual(pieces.rows, whole.rows);
      }),
      runs,
    );
  });

  test('does the same for damaged workbooks', async () => {
    const bytes = Buffer.from(
      await writeXlsx({ sheets: [{ name: 'S', rows: [header, ['+254712345678', 1, 5.5, 'KES', 'A', 'x']] }] }),
    );
    const flips = fc.array(fc.record({ at: fc.nat(bytes.length - 1), byte: fc.nat(255) }), {
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(flips, fc.option(fc.nat(bytes.length), { freq: 10 }), async (damages, end) => {
        const damaged = Buffer.from(bytes);
        for (const { at, byte } of damages) damaged[at] = byte;
        await outcome(damaged.subarray(0, end ?? damaged.length));
      }),
      runs,
    );
  });

  test('never moves a value to another column or row, whatever cells contain and however they are written', async () => {
    await fc.assert(
      fc.asyncProperty(rows, form, async (table, how) => {
        const found = await outcome(written(table, how));
        const filled = table.filter((cells) => !isBlank(cells));
        if (filled.length === 0) return assert.match(String(found), /no rows/);
        // The only well-formed text that is refused: a cell that looks just like one whose quote was never closed.
        if (typeof found === 'string') return assert.match(found, /quote .* is not closed/);
        assert.deepEqual(
          found.rows.map(({ input }) => JSON.parse(input)),
          filled,
        );
      }),
      runs,
    );
  });

  test('never moves a value in a workbook', async () => {
    const cell = fc.oneof(
      nastyText.filter((text) => !/[\uFEFF\r]|_x/.test(text)),
      fc.integer(),
      fc.constant(null),
    );
    const sheet = fc.array(fc.array(cell, { minLength: 6, maxLength: 6 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(sheet, async (table) => {
        const found = await outcome(
          Buffer.from(await writeXlsx({ sheets: [{ name: 'S', rows: [header, ...table] }] })),
        );
        const texts = table.map((cells) => cells.map((value) => (value === null ? '' : String(value))));
        const filled = texts.flatMap((cells, index) => (isBlank(cells) ? [] : [{ line: index + 2, cells }]));
        if (filled.length === 0) return assert.match(String(found), /no rows/);
        assert.ok(typeof found !== 'string', String(found));
        assert.deepEqual(
          found.rows.map(({ line, input }) => ({ line, cells: JSON.parse(input) as string[] })),
          filled,
        );
      }),
      { ...runs, numRuns: 100 },
    );
  });

  test('is not slowed down by very long cells', async () => {
    const units = ['1', ' ', '.', ',', "'", '(', '"', 'a', '٣', '\u00A0', '-', '+', '1,', '1 ', '0712345678 '];
    for (const unit of units) {
      const long = unit.repeat(Math.floor(200_000 / Buffer.byteLength(unit)));
      assert.equal(
        typeof (await outcome(
          Buffer.from(
            stringify([
              [long, ...header],
              ['1', '2'],
            ]),
          ),
        )),
        'object',
      );
      for (const column of header) {
        const cells = header.map((name) => (name === column ? long : ''));
        const table = stringify([header, cells, ['+254712345678', '1', '5', 'KES', 'A', '']]);
        const found = await outcome(Buffer.from(table));
        if (typeof found === 'string') assert.match(found, /longer than|no rows|quote/);
      }
    }
  });
});
