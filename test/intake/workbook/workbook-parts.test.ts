import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import { writeXlsx } from 'hucre/xlsx';
import { AirbatchError } from '../../../src/core/basics/errors.ts';
import { check, problemCodes } from '../support.ts';

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

/** A zip archive with the directory that a test wants. `isLarge`: its numbers are in extra fields (ZIP64). */
function zip(entries: readonly Entry[], { isLarge = false } = {}): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content, declared = content.length } of entries) {
    const packed = deflateRawSync(content);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(8, 8);
    local.writeUInt32LE(packed.length, 18);
    local.writeUInt32LE(Math.min(declared, 0xffff_ffff), 22);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(crc32(content), 16);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(Math.min(declared, 0xffff_ffff), 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    parts.push(local, Buffer.from(name), packed);
    directory.push(entry, Buffer.from(name));
    if (isLarge) {
      const extra = Buffer.alloc(5 + 4 + 24);
      extra.set([0x55, 0x54, 1, 0, 9, 1, 0, 24, 0]);
      for (const [index, value] of [declared, packed.length, at].entries())
        extra.writeBigUInt64LE(BigInt(value), 9 + 8 * index);
      for (const place of [20, 24, 42]) entry.writeUInt32LE(0xffff_ffff, place);
      entry.writeUInt16LE(extra.length, 30);
      directory.push(extra);
    }
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

  test('gives the named sheet, and lists the sheets that were not read', async () => {
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

  test('lists its other sheets if the one that was read has nothing to pay', async () => {
    const good: Cell[] = ['+254712345678', 1, 5, 'KES', 'A', ''];
    const bytes = await workbook([['How to fill this in']], [{ name: 'Payout', rows: [header, good] }]);
    await assert.rejects(check(bytes), {
      code: 'FILE_REJECTED',
      message: /header reads "How to fill this in"$/,
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

  test('is a question if more than one visible sheet has rows to pay', async () => {
    const row = (amount: Cell, currency = 'KES'): Cell[] => ['+254712345678', 1, amount, currency, null, ''];
    const november = { name: 'November', rows: [header, row(1250.5), row(10), row(7, 'UGX')] };
    const december = {
      name: 'December',
      rows: [
        ['Msisdn', 'Operator', 'Amount (KES)'],
        ['0712345678', 1, 1500],
      ],
    };
    const book = async (...sheets: { name: string; rows: Cell[][]; hidden?: boolean }[]) =>
      Buffer.from(await writeXlsx({ sheets, activeSheet: 1 }));
    const named =
      'more than one sheet has rows to pay: "November" (3 rows, KES 1,260.50, UGX 7), "December" (1 row, KES 1,500.00; open when it was saved)';
    await assert.rejects(check(await book(november, december)), {
      code: 'FILE_REJECTED',
      message: named,
      hint: /^Say which one you mean: --sheet "November" or --sheet "December", /,
    });
    const { rows } = await check(await book(november, december), { settings: { sheet: 'December', country: 'KE' } });
    assert.deepEqual([rows.length, rows[0]?.amount], [1, '1500']);
    const unclear = {
      name: 'Unclear',
      rows: [
        ['Phone', 'Network', 'Amount', 'Airtime'],
        ['0712345678', 1, 5, 6],
      ],
    };
    await assert.rejects(check(await book(november, unclear)), /"Unclear" \(1 row; open when it was saved\)/);
    const harmless: [string, Cell[][]][] = [
      ['a header alone', [header]],
      ['notes', [['Notes'], ['paid by Amina']]],
      ['nothing', []],
      ['sums', [header, [null, null, 1260.5, 'KES', 'TOTAL', null]]],
      [
        'people without a network',
        [
          ['Phone', 'Amount'],
          ['0712345678', 5],
        ],
      ],
    ];
    for (const [what, content] of harmless) {
      const { findings } = await check(await book(november, { name: 'Second', rows: content }));
      assert.deepEqual([what, findings.file.sheet, findings.counts.rows], [what, 'November', 3]);
      assert.match(findings.warnings.join(), /not read: "Second" \(open when it was saved\)/);
    }
    const { findings } = await check(await book(november, { ...december, hidden: true }));
    assert.equal(findings.counts.rows, 3);
  });

  test('gives sums of formulas as the sheet shows them, and other decimals as they are', async () => {
    const amounts = [100.2, 0.1 + 0.2, 1250.55 * 3, 100.105];
    const { rows } = await check(
      await workbook([header, ...amounts.map((amount, at) => [`+25471234567${at}`, 1, amount, 'KES', `R${at}`, ''])]),
    );
    assert.deepEqual(
      rows.map(({ amount }) => amount),
      ['100.2', '0.3', '3751.65', null],
    );
  });

  test('distinguishes a number with three decimals from a text that could be thousands', async () => {
    const { rows } = await check(
      await workbook([
        header,
        ['+254712345678', 1, 1.234, 'TND', 'A', ''],
        ['+254712345678', 1, '2.000,5', 'TND', 'B', ''],
      ]),
    );
    assert.equal(rows[0]?.amount, '1.234');
  });

  test('with rows wider than its header counts the extra cells', async () => {
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
      'is of another spreadsheet program',
      () => zip([{ name: 'mimetype', content: Buffer.from('application/vnd.oasis.opendocument.spreadsheet') }]),
      /OpenDocument spreadsheet \(\.ods\)/,
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
    isLarge = false,
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
      { isLarge },
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

  test('is read if its archive has the form for large ones', async () => {
    const row = cells('t="str"><v>+254712345678</v>', '><v>1</v>', '><v>5</v>', 't="str"><v>KES</v>');
    const { rows } = await check(handmade(sheetOf(row), '<sst/>', '<styleSheet/>', '<workbookPr/>', true));
    assert.equal(rows[0]?.status, 'ready');
    const bomb = zip([{ name: 'xl/x.xml', content: Buffer.from('a'), declared: 2 ** 40 }], { isLarge: true });
    await assert.rejects(check(bomb), /unpacks to more than/);
  });

  test('is rejected if few cells of it become many texts', async () => {
    const long = (length: number) => `<sst><si><t>${'a'.repeat(length)}</t></si></sst>`;
    const row = (count: number) => cells(...Array.from({ length: count }, () => 't="s"><v>0</v>'));
    const rowsOf = (count: number, columns: number) => sheetOf(...Array.from({ length: count }, () => row(columns)));
    for (const [sheet, texts, says] of [
      [rowsOf(1, 1), long(100_001), /it has a cell that is longer than any/],
      [rowsOf(1, 5), long(60_000), /its row 2 is longer than 262144 bytes/],
      [rowsOf(1_000, 1), long(30_000), /200 times its size/],
    ] as const)
      await assert.rejects(check(handmade(sheet, texts)), (error: unknown) => {
        assert.ok(error instanceof AirbatchError, String(error));
        assert.equal(error.code, 'FILE_REJECTED');
        assert.match(error.message, says);
        return true;
      });
  });

  test('has no character in its cells that a ledger cannot hold', async () => {
    const row = cells(
      't="str"><v>+254712345678</v>',
      '><v>1</v>',
      '><v>5</v>',
      't="str"><v>KES</v>',
      't="str"><v>a_x0000_b_xD83D__xDE00_c_xD800_</v>',
    );
    const { rows } = await check(handmade(sheetOf(row)));
    assert.equal(JSON.parse(rows[0]?.input ?? '')[4], 'ab\u{1F600}c\uFFFD');
  });

  test('with formulas without values names the cells, and reads none as empty', async () => {
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

  test('reads rows that a filter hides like the others, and says so', async () => {
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

  test('reads a hidden column only if the mapping names it', async () => {
    const row = cells('><v>254712345678</v>', '><v>1</v>', '><v>10</v>', 't="str"><v>KES</v>', 't="str"><v>x</v>');
    const hidden = (cols: string) => handmade(sheetOf(row).replace('<sheetData>', `<cols>${cols}</cols><sheetData>`));
    const amounts = hidden('<col min="1" max="2" width="9"/><col min="3" max="3" hidden="1" width="9"/>');
    await assert.rejects(check(amounts), {
      code: 'FILE_REJECTED',
      message: 'the column "amount", which could be the amount, is hidden in the sheet',
      hint: /^Show the column and check what is in it, or delete it\. .*--map amount="amount"/,
    });
    const { rows } = await check(amounts, { settings: { columns: { amount: 'amount' } } });
    assert.equal(rows[0]?.amount, '10');
    await assert.rejects(check(hidden('<col min="4" max="16384" width="0"/>')), /"currency", .* is hidden/);
    const { findings } = await check(hidden('<col min="5" max="16384" hidden="true"/>'));
    assert.equal(findings.counts.valid, 1);
  });

  test('with a date instead of an amount refuses that row', async () => {
    const row = cells('><v>254712345678</v>', '><v>1</v>', 's="1"><v>45292.5</v>', 't="str"><v>KES</v>');
    const { rows } = await check(handmade(sheetOf(row), '<sst/>', styles));
    assert.deepEqual(problemCodes(rows[0]), ['AMOUNT_NOT_A_NUMBER']);
    assert.equal(rows[0]?.problems[0]?.value, '2024-01-01 12:00:00');
  });

  /** A workbook whose rows have an amount (and a reference, where one is given) in a number format of its own. */
  const formatted = (
    rows: { code: string; value: string; currency?: string; reference?: string; referenceCode?: string }[],
    { hasCurrency = true, hasReference = true } = {},
  ) => {
    const codes = rows.flatMap(({ code, referenceCode = 'General' }) => [code, referenceCode]);
    const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
    const builtIn = (code: string) => /^#[0-9]+$/.test(code);
    const ids = codes.map((code, index) => (builtIn(code) ? Number(code.slice(1)) : 170 + index));
    const own = codes.flatMap((code, index) =>
      builtIn(code) ? [] : [`<numFmt numFmtId="${ids[index]}" formatCode="${escaped(code)}"/>`],
    );
    const sheetStyles = `<styleSheet><numFmts>${own.join('')}</numFmts><cellXfs><xf/>${ids.map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`;
    const text = (value: string) => `t="inlineStr"><is><t>${value}</t></is>`;
    const columns = [
      'phone',
      'network',
      'amount',
      ...(hasCurrency ? ['currency'] : []),
      ...(hasReference ? ['reference'] : []),
    ];
    const lines = rows.map(({ value, currency = '', reference = '' }, index) =>
      cells(
        ...[text(`+25471234567${index % 10}`), '><v>1</v>', `s="${2 * index + 1}"><v>${value}</v>`],
        ...(hasCurrency ? [text(currency)] : []),
        ...(hasReference ? [`s="${2 * index + 2}"><v>${reference}</v>`] : []),
      ),
    );
    const sheet = `<worksheet><sheetData>${cells(...columns.map(text))}${lines.join('')}</sheetData></worksheet>`;
    return handmade(sheet, '<sst/>', sheetStyles);
  };

  const currencyFormats: [code: string, currency: string][] = [
    ['[$UGX] #,##0', 'UGX'],
    ['[$KES-441]\\ #,##0.00', 'KES'],
    ['[$UGX-409]#,##0;[Red]-[$UGX-409]#,##0', 'UGX'],
    ['"TZS "#,##0', 'TZS'],
    ['#,##0.00\\ [$€-2]', 'EUR'],
    ['[$€-2]\\ #,##0.00', 'EUR'],
    ['_-[$₦-470]* #,##0.00_-;\\-[$₦-470]* #,##0.00_-;_-[$₦-470]* "-"??_-;_-@_-', 'NGN'],
    ['_("KSh"* #,##0.00_);_("KSh"* \\(#,##0.00\\);_("KSh"* "-"??_);_(@_)', 'KES'],
    ['\\U\\G\\X\\ #,##0', 'UGX'],
    ['KES #,##0.00', 'KES'],
    ['USD #,##0', 'USD'],
    ['₦#,##0', 'NGN'],
    ['#,##0" Tsh"', 'TZS'],
    ['[>=1000][$UGX]\\ #,##0;[$UGX]\\ 0', 'UGX'],
  ];
  for (const [code, currency] of currencyFormats) {
    test(`with amounts formatted ${code} has them in ${currency}`, async () => {
      const rows = [
        { code, value: '35000', currency },
        { code, value: '35000', currency: 'ZMW' },
      ];
      const both = await check(formatted(rows, { hasReference: false }));
      assert.deepEqual(
        both.rows.map((row) => [row.amount, row.currency, problemCodes(row)]),
        [
          ['35000', currency, []],
          [null, null, ['CURRENCY_CONFLICT']],
        ],
      );
      const alone = await check(formatted([{ code, value: '35000' }], { hasCurrency: false, hasReference: false }));
      assert.deepEqual([alone.rows[0]?.amount, alone.rows[0]?.currency], ['35000', currency]);
    });
  }

  const otherFormats: [code: string, value: string, currency: string, problem: string | null, shows?: string][] = [
    ['0%', '0.5', 'KES', 'AMOUNT_NOT_A_NUMBER', '50%'],
    ['#9', '0.5', 'KES', 'AMOUNT_NOT_A_NUMBER', '50%'],
    ['#10', '12.345', 'KES', 'AMOUNT_NOT_A_NUMBER', '1234.5%'],
    ['0.0\\ %', '5', 'KES', 'AMOUNT_NOT_A_NUMBER', '500%'],
    ['0"%"', '50', 'KES', 'AMOUNT_NOT_A_NUMBER', '50%'],
    ['0\\ ‰', '50', 'KES', 'AMOUNT_NOT_A_NUMBER', '50‰'],
    ['"₩"#,##0', '50', 'KES', 'AMOUNT_NOT_A_NUMBER', '₩50'],
    ['#,##0" Naira"', '50', 'KES', 'AMOUNT_NOT_A_NUMBER', '50Naira'],
    ['"K"#,##0', '50', 'KES', 'AMOUNT_NOT_A_NUMBER', 'K 50'],
    ['#,##0" US Dollars"', '50', 'KES', 'AMOUNT_NOT_A_NUMBER', '50US Dollars'],
    ['"$"#,##0.00', '5', 'KES', 'CURRENCY_CONFLICT', '$5'],
    ['#44', '5', 'KES', 'CURRENCY_CONFLICT', '$5'],
    ['[$£-809]#,##0', '5', 'KES', 'CURRENCY_CONFLICT', '£5'],
    ['"$"#,##0.00', '5', 'USD', null, '$5'],
    ['#,##0,', '35000', 'KES', 'AMOUNT_NOT_A_NUMBER', '35000 [#,##0,]'],
    ['0.0,,"M"', '35000', 'KES', 'AMOUNT_NOT_A_NUMBER', '35000 [0.0,,"M"]'],
    ['0\\.00', '35000', 'KES', 'AMOUNT_NOT_A_NUMBER', '35000 [0\\.00]'],
    ['0"000"', '35', 'KES', 'AMOUNT_NOT_A_NUMBER', '35 [0"000"]'],
    [';;;', '35', 'KES', 'AMOUNT_NOT_A_NUMBER', '35 [;;;]'],
    ['"paid"', '35', 'KES', 'AMOUNT_NOT_A_NUMBER', '35 ["paid"]'],
    ['[<1000][$KES]\\ 0;[$UGX]\\ 0', '35', 'KES', 'AMOUNT_NOT_A_NUMBER', '35 [[<1000][$KES]\\ 0;[$UGX]\\ 0]'],
    ['[$K] #,##0', '35', 'KES', 'AMOUNT_NOT_A_NUMBER', 'K 35'],
    ['dd/mm/yyyy', '45000', 'KES', 'AMOUNT_NOT_A_NUMBER', '2023-03-15'],
    ['yyyy', '45000', 'KES', 'AMOUNT_NOT_A_NUMBER', '2023-03-15'],
    ['d.m', '45000', 'KES', 'AMOUNT_NOT_A_NUMBER', '2023-03-15'],
    ['#46', '1.5', 'KES', 'AMOUNT_NOT_A_NUMBER', '1899-12-31 12:00:00'],
    ['#48', '500', 'KES', null, '500'],
    ['#49', '500', 'KES', null, '500'],
    ['_d#,##0_m', '500', 'KES', null, '500'],
    ['#,##0_-;-#,##0_-', '500', 'KES', null, '500'],
    ['*m0', '500', 'KES', null, '500'],
    ['0\\.', '500', 'KES', null, '500'],
    ['#,##0"/="', '500', 'KES', null, '500/='],
    ['#\\ ##0.00', '500.5', 'KES', null, '500.5'],
    ["#'##0", '500', 'KES', null, '500'],
    ['[Red]0;[Blue]-0', '500', 'KES', null, '500'],
    ['#,##0 "dym"', '500', 'KES', null, '500'],
    ['"Net: "0', '500', 'KES', null, '500'],
    ['0"K"', '35', 'KES', 'AMOUNT_NOT_A_NUMBER', '35 [0"K"]'],
    ['#,##0.00;(#,##0.00);"-"', '500', 'KES', null, '500'],
    ['# ?/?', '1.5', 'KES', null, '1.5'],
    ['0.00E+00', '500', 'KES', null, '500'],
  ];
  for (const [code, value, currency, problem, shows] of otherFormats) {
    test(`whose amount of ${currency} ${value} is formatted ${code} ${problem === null ? 'is paid as it stands' : `is refused: ${problem}`}`, async () => {
      const { rows } = await check(formatted([{ code, value, currency }], { hasReference: false }));
      assert.deepEqual(problemCodes(rows[0]), problem === null ? [] : [problem]);
      assert.equal(rows[0]?.amount, problem === null ? value : null);
      assert.equal(JSON.parse(rows[0]?.input ?? '[]')[2], shows);
    });
  }

  test('with a format that hides an amount says so again for the row of corrections', async () => {
    const say = async (amount: string) => {
      const { rows } = await check(`phone,network,amount,currency\n+254712345678,1,"${amount}",KES\n`);
      return rows[0]?.problems[0]?.message;
    };
    assert.equal(await say('50%'), '"50%" is a percentage, not an amount.');
    assert.equal(
      await say('35000 [#,##0,]'),
      'The cell holds 35000, but its number format (#,##0,) shows something else.',
    );
  });

  const dateFormats: [code: string, value: string, shown: string][] = [
    ['dd/mm/yyyy', '45992', '01/12/2025'],
    ['mmm-yy', '45992', 'Dec-25'],
    ['#17', '45992', 'Dec-25'],
    ['#14', '45992', '2025-12-01'],
    ['d\\.m\\.yyyy', '45992', '1.12.2025'],
    ['dddd", "d mmmm yyyy', '45992', 'Monday, 1 December 2025'],
    ['yyyy\\-mm\\-dd\\ hh:mm:ss', '45992.5006944', '2025-12-01 12:01:00'],
    ['h:mm AM/PM', '45992.75', '6:00 PM'],
    ['mm:ss.0', '45992.0006944', '01:00'],
    ['[$-409]d-mmm;@', '45992', '1-Dec'],
  ];
  for (const [code, value, shown] of dateFormats) {
    test(`with a date formatted ${code} as reference has it as ${shown}, and says so`, async () => {
      const row = { code: 'General', value: '5', currency: 'KES', reference: value, referenceCode: code };
      const { rows, findings } = await check(formatted([row]));
      assert.deepEqual(
        [JSON.parse(rows[0]?.input ?? '[]')[4], rows[0]?.problems[0]?.value ?? rows[0]?.row_ref],
        [shown, shown],
      );
      assert.deepEqual(findings.warnings, [
        `1 reference is a date in the sheet, and read as the sheet shows it (line 2: "${shown}"): spreadsheets make dates of texts such as "1-24".`,
      ]);
    });
  }

  test('keeps a numeric reference that only resembles a date', async () => {
    const codes = ['#48', '#49', '"No. day "0', '0_d', '\\m0', '0*d', '00000'];
    const rows = codes.map((referenceCode, index) => ({
      ...{ code: 'General', value: '5', currency: 'KES' },
      ...{ reference: String(45_000 + index), referenceCode },
    }));
    const { rows: read, findings } = await check(formatted(rows));
    assert.deepEqual(
      read.map(({ row_ref }) => row_ref),
      codes.map((_, index) => String(45_000 + index)),
    );
    assert.deepEqual(findings.warnings, []);
  });

  test('with rows that are struck through says so', async () => {
    const struck =
      '<styleSheet><fonts><font/><font><strike/></font><font><strike val="0"/></font></fonts>' +
      '<cellXfs><xf/><xf fontId="1"/><xf fontId="2"/></cellXfs></styleSheet>';
    const row = (at: number, style: number) =>
      cells(`><v>25471234567${at}</v>`, '><v>1</v>', `s="${style}"><v>10</v>`, 't="str"><v>KES</v>');
    const { findings } = await check(handmade(sheetOf(row(2, 0), row(3, 1), row(4, 2)), '<sst/>', struck));
    assert.deepEqual(findings.warnings, [
      '1 row is struck through in the sheet (line 3), and is read like the others: remove what should not be paid.',
    ]);
  });

  test('holds a row whose phone number ends in five zeros or more, since a spreadsheet may have rounded it', async () => {
    const row = (number: string) => cells(`><v>${number}</v>`, '><v>1</v>', '><v>10</v>', 't="str"><v>KES</v>');
    const { rows } = await check(
      handmade(sheetOf(row('254713000000'), row('2.547E11'), row('254713010000'), row('254713100000'))),
    );
    assert.deepEqual(
      rows.map(({ status, phone_number, row_ref, problems }) => [
        status,
        phone_number,
        row_ref !== null,
        problems.length,
      ]),
      [
        ['held', '+254713000000', true, 1],
        ['held', '+254700000000', true, 1],
        ['ready', '+254713010000', true, 0],
        ['held', '+254713100000', true, 1],
      ],
    );
    assert.deepEqual(problemCodes(rows[0]), ['PHONE_ROUNDED']);
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
    ['has a cell nowhere', sheetOf('<row><c r="5A"><v>1</v></c></row>'), /without a place/],
    ['has a cell far out', sheetOf('<row><c r="XFD2"><v>1</v></c></row>'), /beyond column 1000/],
    ['has a cell longer than any', sheetOf(cells(`><v>${'1'.repeat(200_000)}</v>`)), /longer than any/],
    ['refers to a text that is not there', sheetOf(cells('t="s"><v>7</v>')), /not there/],
  ];
  for (const [what, sheet, says] of damages) {
    test(`is rejected if its sheet ${what}`, async () => {
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
