import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
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
    entry.writeUInt32LE(crc32(content), 16);
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

  test('names its other sheets where the one that was read has no payout in it', async () => {
    const good: Cell[] = ['+254712345678', 1, 5, 'KES', 'A', ''];
    const bytes = await workbook([['How to fill this in']], [{ name: 'Payout', rows: [header, good] }]);
    await assert.rejects(check(bytes), {
      code: 'FILE_REJECTED',
      message: /first line reads "How to fill this in"$/,
      hint: /^If you mean another sheet than "November", add --sheet "Payout"\. The first line must name the columns/,
    });
  });

  test('is read from the first sheet that is not hidden', async () => {
    const good: Cell[] = ['+254712345678', 1, 5, 'KES', 'A', ''];
    const hidden = { name: 'Lists', rows: [header, good, good], hidden: true };
    const bytes = Buffer.from(await writeXlsx({ sheets: [hidden, { name: 'Payout', rows: [header, good] }] }));
    const { rows, findings } = await check(bytes);
    assert.deepEqual([rows.length, findings.file.sheet, findings.warnings], [1, 'Payout', []]);
  });

  test('reads what a formula has added up as the sheet shows it, and other decimals as they are', async () => {
    const amounts = [100.2, 0.1 + 0.2, 1250.55 * 3, 100.105];
    const { rows } = await check(
      await workbook([header, ...amounts.map((amount, at) => [`+25471234567${at}`, 1, amount, 'KES', `R${at}`, ''])]),
    );
    assert.deepEqual(
      rows.map(({ amount }) => amount),
      ['100.2', '0.3', '3751.65', null],
    );
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
    [
      'is no workbook',
      () => zip([{ name: 'word/document.xml', content: Buffer.from('<a/>') }]),
      /not an Excel workbook/,
    ],
    [
      'unpacks a thousand times',
      () => zip([{ name: 'xl/worksheets/sheet1.xml', content: bomb }]),
      /200 times its size/,
    ],
    [
      'hides what it unpacks to',
      () => zip([{ name: 'xl/worksheets/sheet1.xml', content: bomb, declared: 0 }]),
      /not an Excel workbook/,
    ],
    [
      'unpacks to more than it declares',
      () => zip([{ name: '_rels/.rels', content: Buffer.from(`<a>${' '.repeat(999)}</a>`), declared: 100 }]),
      /not as it was written/,
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

  const relations = (...targets: [type: string, target: string][]) =>
    `<Relationships>${targets
      .map(([type, target], index) => `<Relationship Id="r${index}" Type="x/${type}" Target="${target}"/>`)
      .join('')}</Relationships>`;

  /** A workbook of which a test writes the sheet, the texts and the styles itself. */
  const handmade = (
    sheet: string | Buffer,
    texts = '<sst/>',
    styles = '<styleSheet/>',
    workbookPart = '<workbookPr/>',
  ) =>
    zip(
      Object.entries({
        '_rels/.rels': relations(['officeDocument', '/xl/workbook.xml']),
        'xl/_rels/workbook.xml.rels': relations(
          ['worksheet', 'worksheets/one.xml'],
          ['sharedStrings', 'texts.xml'],
          ['styles', '../xl/styles.xml'],
        ),
        'xl/workbook.xml': `<x:workbook>${workbookPart}<x:sheets><x:sheet name="S" r:id="r0"/></x:sheets></x:workbook>`,
        'xl/worksheets/one.xml': sheet,
        'xl/texts.xml': texts,
        'xl/styles.xml': styles,
      }).map(([name, content]) => ({ name, content: Buffer.from(content as string) })),
    );
  const cells = (...xml: string[]) => `<row>${xml.map((cell) => `<c ${cell}</c>`).join('')}</row>`;
  const headerXml = cells(
    't="inlineStr"><is><t>phone</t></is>',
    't="inlineStr"><is><t>network</t></is>',
    't="inlineStr"><is><t>amount</t></is>',
    't="inlineStr"><is><t>currency</t></is>',
    't="inlineStr"><is><t>when</t></is>',
  );
  const sheetOf = (...rows: string[]) => `<worksheet><sheetData>${headerXml}${rows.join('')}</sheetData></worksheet>`;
  const styles =
    '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="[Red]&quot;Day&quot; 0"/><numFmt numFmtId="171" formatCode="dd/mm/yyyy"/></numFmts>' +
    '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="171"/></cellXfs></styleSheet>';

  test('has texts in pieces, cells of every type, and dates', async () => {
    const texts =
      '<sst><si><r><t>KE</t></r><rPh><t>x</t></rPh><r><t>S</t></r></si><si><t>+2547_x0031_2345678</t></si></sst>';
    const row = cells(
      't="s"><v>1</v>',
      '><v>1.0</v>',
      's="2"><f>1+1</f><v>1.25E2</v>',
      't="s"><v>0</v>',
      's="3"><v>45961</v>',
    );
    const { rows } = await check(handmade(sheetOf(row), texts, styles));
    assert.deepEqual(JSON.parse(rows[0]?.input ?? ''), ['+254712345678', '1', '125', 'KES', '2025-10-31']);
    assert.equal(rows[0]?.status, 'ready');
    const old = await check(handmade(sheetOf(row), texts, styles, '<workbookPr date1904="1"/>'));
    assert.match(old.rows[0]?.input ?? '', /2029-11-01/);
  });

  test('whose formulas have no values, as a program leaves it, says in which cells, and takes none for empty', async () => {
    const cell = (name: string, inner: string, type = '') => `<c r="${name}"${type && ` t="${type}"`}>${inner}</c>`;
    const text = (name: string, value: string) => cell(name, `<is><t>${value}</t></is>`, 'inlineStr');
    const titles = ['phone_number', 'network_id', 'amount', 'currency', 'product_id', 'reference', 'name'];
    const row = (line: number, ...cells: string[]) =>
      `<row r="${line}">${text(`A${line}`, '+254712345678')}${cell(`B${line}`, '<v>1</v>')}${cells.join('')}</row>`;
    const kes = (line: number) => text(`D${line}`, 'KES');
    const sheet = [
      `<row r="1">${titles.map((title, index) => text(`${'ABCDEFG'[index]}1`, title)).join('')}</row>`,
      row(2, cell('C2', '<f>250*2</f>'), kes(2)),
      row(3, cell('C3', '<f t="shared" si="0"/><v/>'), kes(3), cell('F3', '<f>"R-"&amp;ROW()</f><v></v>')),
      row(
        4,
        cell('C4', '<v>7</v>'),
        kes(4),
        cell('E4', '<f>IF(TRUE,"","")</f><v></v>', 'str'),
        cell('G4', '<f>A4</f>'),
      ),
      row(5, cell('C5', '<f>250*2</f><v>500</v>'), kes(5)),
    ].join('');
    const { rows } = await check(handmade(`<worksheet><sheetData>${sheet}</sheetData></worksheet>`));
    const found = rows.map(({ problems }) =>
      problems.map(({ column, line, message }) => [line, column, /\((.*)\)/.exec(message)?.[1]]),
    );
    assert.deepEqual(found, [
      [[2, 'amount', '=250*2']],
      [
        [3, 'amount', '=…'],
        [3, 'reference', '="R-"&ROW()'],
      ],
      [],
      [],
    ]);
    assert.deepEqual(
      rows.map(({ amount }) => amount),
      [null, null, '7', '500'],
    );
    assert.match(rows[0]?.problems[0]?.suggestion ?? '', /^Open the file in the spreadsheet program, .* save it/);
  });

  test('whose rows a filter hides has them read as the others, and says so', async () => {
    const row = (at: number, hidden = '') =>
      cells(`><v>25471234567${at}</v>`, '><v>1</v>', '><v>10</v>', 't="str"><v>KES</v>').replace(
        '<row>',
        `<row r="${at}"${hidden}>`,
      );
    const shut = ' hidden="1"';
    const warningsOf = async (...rows: string[]) => (await check(handmade(sheetOf(...rows)))).findings.warnings;
    assert.deepEqual(await warningsOf(row(2), row(3), '<row r="4" hidden="1"></row>'), []);
    assert.deepEqual(await warningsOf(row(2), row(3, shut)), [
      '1 row is hidden in the sheet (line 3), and is read like the others: remove what should not be paid.',
    ]);
    assert.deepEqual(await warningsOf(row(2, ' hidden="true"'), row(3), row(4, shut)), [
      '2 rows are hidden in the sheet (first in line 2), and are read like the others: remove what should not be paid.',
    ]);
  });

  test('that made a date of an amount is refused at that row', async () => {
    const row = cells('><v>254712345678</v>', '><v>1</v>', 's="1"><v>45292.5</v>', 't="str"><v>KES</v>');
    const { rows } = await check(handmade(sheetOf(row), '<sst/>', styles));
    assert.deepEqual(problemCodes(rows[0]), ['AMOUNT_NOT_A_NUMBER']);
    assert.equal(rows[0]?.problems[0]?.value, '2024-01-01 12:00:00');
  });

  const damages: [string, string | Buffer, RegExp][] = [
    ['is cut in the middle', '<worksheet><sheetData><row>', /XML is broken/],
    ['goes ever deeper', '<a>'.repeat(10_000), /nested too deeply/],
    [
      'has ever more attributes',
      `<a ${Array.from({ length: 300 }, (_, i) => `a${i}=""`).join(' ')}/>`,
      /too many attributes/,
    ],
    ['has a name without an end', `<${'a'.repeat(200_000)}`, /XML is broken/],
    ['uses an entity of its own', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', /XML is broken/],
    ['is not in UTF-8', Buffer.from('<a>\xff</a>', 'latin1'), /not in UTF-8/],
    ['has its rows in disorder', '<a><row r="5"/><row r="4"/></a>', /not in order/],
    ['has a cell twice', sheetOf('<row><c r="A2"><v>1</v></c><c r="A2"><v>2</v></c></row>'), /cell twice/],
    ['has a cell nowhere', sheetOf('<row><c r="5A"><v>1</v></c></row>'), /nowhere/],
    ['has a cell far out', sheetOf('<row><c r="XFD2"><v>1</v></c></row>'), /beyond its column 1000/],
    ['has a cell longer than any', sheetOf(cells(`><v>${'1'.repeat(200_000)}</v>`)), /longer than any/],
    ['refers to a text that is not there', sheetOf(cells('t="s"><v>7</v>')), /not there/],
  ];
  for (const [what, sheet, says] of damages) {
    test(`is rejected when its sheet ${what}`, async () => {
      const content = handmade(sheet);
      await assert.rejects(check(content), (error: unknown) => {
        assert.ok(error instanceof AirbatchError, String(error));
        assert.match(error.message, says);
        return error.code === 'FILE_REJECTED';
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
