import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { writeXlsx } from 'hucre/xlsx';
import { AirbatchError } from '../../src/core/errors.ts';
import { check, problemCodes } from './support.ts';

const header = ['Phone', 'Network', 'Amount', 'Currency', 'Reference', 'Name'];
type Cell = string | number | boolean | Date | null;

async function workbook(
  rows: Cell[][],
  more: { name: string; rows: Cell[][]; hidden?: boolean }[] = [],
): Promise<Buffer> {
  return Buffer.from(await writeXlsx({ sheets: [{ name: 'November', rows }, ...more] }));
}

interface Entry {
  name: string;
  content: Buffer;
  declared?: number;
}

/** A zip archive whose directory says what a test wants it to say. */
function zip(entries: readonly Entry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content, declared = content.length } of entries) {
    const packed = deflateRawSync(content);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(8, 8);
    local.writeUInt32LE(packed.length, 18);
    local.writeUInt32LE(declared, 22);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(declared, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    parts.push(local, Buffer.from(name), packed);
    directory.push(entry, Buffer.from(name));
    at += local.length + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

describe('a workbook', () => {
  test('is read as a table, with the rows of its sheet as lines', async () => {
    const { rows, findings } = await check(
      await workbook([
        header,
        ['+254712345678', 1, 1250.5, 'KES', 'A', 'Amina'],
        [],
        [254712345679, '1', 10, 'KES', 'B', null],
        ['0712', '1', 'x', 'KES', 'C', true],
      ]),
    );
    assert.deepEqual(
      rows.map(({ line, status, phone_number, amount }) => [line, status, phone_number, amount]),
      [
        [2, 'ready', '+254712345678', '1250.5'],
        [4, 'ready', '+254712345679', '10'],
        [5, 'invalid', null, null],
      ],
    );
    assert.deepEqual(JSON.parse(rows[1]?.input ?? ''), ['254712345679', '1', '10', 'KES', 'B', '']);
    assert.deepEqual([findings.file.format, findings.file.sheet, findings.warnings], ['xlsx', 'November', []]);
  });

  test('gives the sheet that is named, and says which others it did not read', async () => {
    const good: Cell[] = ['+254712345678', 1, 5, 'KES', 'A', ''];
    const bytes = await workbook([['Notes'], ['x']], [{ name: 'Payout', rows: [header, good] }]);
    const { rows, findings } = await check(bytes, { settings: { sheet: 'Payout' } });
    assert.equal(rows[0]?.status, 'ready');
    assert.match(findings.warnings[0] ?? '', /Only the sheet "Payout" was read; not read: "November"/);
    await assert.rejects(
      check(bytes, { settings: { sheet: 'December' } }),
      /no sheet "December".*"November", "Payout"/,
    );
  });

  test('is read from the first sheet that is not hidden', async () => {
    const good: Cell[] = ['+254712345678', 1, 5, 'KES', 'A', ''];
    const hidden = { name: 'Lists', rows: [header, good, good], hidden: true };
    const bytes = Buffer.from(await writeXlsx({ sheets: [hidden, { name: 'Payout', rows: [header, good] }] }));
    const { rows, findings } = await check(bytes);
    assert.deepEqual([rows.length, findings.file.sheet, findings.warnings], [1, 'Payout', []]);
  });

  test('keeps a number with three decimals apart from a text that could be thousands', async () => {
    const { rows } = await check(
      await workbook([
        header,
        ['+254712345678', 1, 1.234, 'TND', 'A', ''],
        ['+254712345678', 1, '2.000,5', 'TND', 'B', ''],
      ]),
    );
    assert.equal(rows[0]?.amount, '1.234');
  });

  test('that is wider in some rows than its header counts what stands there', async () => {
    const good: Cell[] = ['+254712345678', 1, 5, 'KES', 'A', ''];
    const { rows } = await check(
      await workbook([
        [...header, null, ''],
        [...good, null, ' '],
        [...good, 'note'],
      ]),
    );
    assert.deepEqual(rows.map(problemCodes), [[], ['ROW_TOO_LONG']]);
  });

  const bomb = Buffer.alloc(40 * 2 ** 20);
  const rejections: [string, () => Buffer | Promise<Buffer>, RegExp, Record<string, unknown>?][] = [
    ['is cut short', async () => (await workbook([header])).subarray(0, 900), /cut short/],
    ['is no workbook', () => zip([{ name: 'word/document.xml', content: Buffer.from('<a/>') }]), /no Excel workbook/],
    [
      'unpacks a thousand times',
      () => zip([{ name: 'xl/worksheets/sheet1.xml', content: bomb }]),
      /200 times its size/,
    ],
    [
      'hides what it unpacks to',
      () => zip([{ name: 'xl/worksheets/sheet1.xml', content: bomb, declared: 0 }]),
      /size of "xl\/worksheets\/sheet1.xml" in it is not declared/,
    ],
    [
      'unpacks to more than it declares',
      () => zip([{ name: '[Content_Types].xml', content: bomb, declared: 100 }]),
      /no Excel workbook, or it is damaged/,
    ],
    [
      'has too many entries',
      () => zip(Array.from({ length: 2_001 }, (_, index) => ({ name: `${index}.xml`, content: Buffer.from('x') }))),
      /more than 2000 entries/,
    ],
    [
      'is larger than the limit',
      () => workbook([header]),
      /larger than 100 bytes/,
      { limits: { workbookBytesMax: 100 } },
    ],
  ];
  for (const [what, bytes, says, settings] of rejections) {
    test(`is rejected when it ${what}`, async () => {
      const content = await bytes();
      await assert.rejects(check(content, settings ? { settings } : {}), (error: unknown) => {
        assert.ok(error instanceof AirbatchError, String(error));
        assert.equal(error.code, 'FILE_REJECTED');
        assert.match(error.message, says);
        return true;
      });
    });
  }

  test('of several thousand rows is read in chunks', async () => {
    const rows = Array.from({ length: 3_000 }, (_, index): Cell[] => [
      `+254712${String(index).padStart(6, '0')}`,
      1,
      100,
      'KES',
      `R-${index}`,
      'x',
    ]);
    const { findings } = await check(await workbook([header, ...rows]));
    assert.deepEqual(findings.counts, { rows: 3_000, valid: 3_000, invalid: 0, held: 0, skipped: 0 });
  });
});
