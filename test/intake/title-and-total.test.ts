import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { writeXlsx } from 'hucre/xlsx';
import { AirbatchError } from '../../src/core/basics/errors.ts';
import { check, problemCodes } from './support.ts';

const header = 'Name,Phone,Network,Amount,Currency';
const rows = ['Ada,+254712345678,1,100.50,KES', 'Bob,+254712345679,1,200.25,KES'];
const titled = ['Acme Ltd - November payroll,,,,', '', header, ...rows, ''].join('\n');

const workbook = async (sheet: string[][], hidden: readonly number[] = []): Promise<Buffer> => {
  const rowDefs = new Map(hidden.map((index) => [index, { hidden: true }]));
  return Buffer.from(await writeXlsx({ sheets: [{ name: 'November', rows: sheet, rowDefs }] }));
};

const rejection = async (content: string | Buffer, settings: Record<string, unknown> = {}) => {
  const error = await check(content, { settings }).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof AirbatchError, `not rejected: ${String(error)}`);
  assert.equal(error.code, 'FILE_REJECTED');
  return error;
};

describe('lines above the header', () => {
  for (const [name, content, line] of [
    ['a title', titled, 3],
    ['a title of one cell', `Payroll\n${header}\n${rows.join('\n')}\n`, 2],
    [
      'a title, and semicolons',
      `Payroll, November\n${header.replaceAll(',', ';')}\n${rows.join('\n').replaceAll(',', ';')}\n`,
      2,
    ],
    ['a title with a number', `Questions: 0712345678\n${header}\n${rows.join('\n')}\n`, 2],
    ['a title in quotes over two lines', `"Payroll\nNovember",,,,\n${header}\n${rows.join('\n')}\n`, 3],
    ['a separator line and a title', `sep=;\nPayroll\n${[header, ...rows].join('\n').replaceAll(',', ';')}\n`, 3],
  ] as const) {
    test(`can be left out: ${name}`, async () => {
      const offer = await rejection(content);
      assert.match(offer.hint, new RegExp(`Line ${line} looks like the header.*--header-line ${line}\\b`));
      const { findings, rows: read } = await check(content, { settings: { headerLine: line } });
      assert.deepEqual(
        read.map(({ row_no, line: at, amount, status }) => [row_no, at, amount, status]),
        [
          [1, line + 1, '100.5', 'ready'],
          [2, line + 2, '200.25', 'ready'],
        ],
      );
      assert.match(findings.warnings.join('\n'), /above the header .* not read: "/);
    });
  }

  test('are shown, without people’s numbers', async () => {
    const content = `Acme\nQuestions: +254712345678\n${header}\n${rows.join('\n')}\n`;
    const { findings } = await check(content, { settings: { headerLine: 3 } });
    assert.equal(findings.warnings.length, 1);
    assert.match(findings.warnings[0] ?? '', /^Lines 1 to 2 above the header are not read: "Acme", "Questions: /);
    assert.doesNotMatch(findings.warnings[0] ?? '', /712345678/);
  });

  test('are left out of a workbook, whose rows are as wide as its header', async () => {
    const content = await workbook([['Payroll'], [], header.split(','), ...rows.map((row) => row.split(','))]);
    assert.match((await rejection(content)).hint, /--header-line 3\b/);
    const { rows: read } = await check(content, { settings: { headerLine: 3 } });
    assert.deepEqual(
      read.map(({ line, status }) => [line, status]),
      [
        [4, 'ready'],
        [5, 'ready'],
      ],
    );
  });

  test('of a workbook are not hidden rows to be paid', async () => {
    const content = await workbook([['Payroll'], header.split(','), ...rows.map((row) => row.split(','))], [0]);
    const { findings } = await check(content, { settings: { headerLine: 2 } });
    assert.deepEqual(findings.warnings.length, 1);
    assert.doesNotMatch(findings.warnings.join('\n'), /hidden/);
  });

  test('end where the option says: a line without a record, or one that is not a header, is refused', async () => {
    assert.match((await rejection(titled, { headerLine: 2 })).message, /^line 2, .* is empty; .* line 3$/);
    assert.match((await rejection(titled, { headerLine: 9 })).message, /no line 9/);
    assert.match((await rejection(titled, { headerLine: 4 })).message, /has no column|no column for/);
    assert.match((await rejection(titled, { headerLine: 1 })).hint, /--header-line 3\b/);
  });

  test('are not offered for a file whose first line is the header', async () => {
    const error = await rejection(`Name,Phone\n${rows.join('\n')}\n`);
    assert.doesNotMatch(error.hint, /header-line/);
  });
});

const skip = { totalLine: 'skip' };
const file = (...lines: string[]) => `${[header, ...lines].join('\n')}\n`;

describe('a TOTAL line', () => {
  test('is an invalid row that names the option, unless the option skips it', async () => {
    const { rows: read } = await check(file(...rows, 'TOTAL,,,300.75,'));
    assert.equal(read[2]?.status, 'invalid');
    assert.match(JSON.stringify(read[2]?.problems), /--total-line skip/);
    assert.deepEqual(read[2]?.problems[0]?.values, { why: 'total' });
  });

  for (const [name, line] of [
    ['TOTAL', 'TOTAL,,,300.75,KES'],
    ['a colon', 'Total:,,,300.75,'],
    ['grouped', 'Grand total,,,"0,300.75",'],
    ['in the column of the number', ',Total,,300.75,'],
    ['beside the amount', ',,TOTAL,300.75,'],
    ['with the number of people', 'Total (2 employees),,,300.75,'],
    ['with a currency', 'TOTAL KES,,,KES 300.75,'],
    ['French', 'Total général,,,"300,75",'],
    ['French, short', 'Somme,,,300.75,'],
    ['Spanish', 'Suma,,,300.75,'],
    ['Portuguese', 'Total geral,,,300.75,'],
    ['Swahili', 'Jumla kuu,,,300.75,'],
    ['German', 'Gesamtsumme,,,300.75,'],
  ] as const) {
    test(`is skipped if it equals the sum of the rows: ${name}`, async () => {
      const { rows: read, findings } = await check(file(...rows, line), { settings: skip });
      assert.equal(read[2]?.status, 'skipped', JSON.stringify(read[2]?.problems));
      assert.deepEqual(problemCodes(read[2]), ['TOTAL_LINE']);
      const { amount, currency, phone_number, row_ref } = read[2] ?? {};
      assert.deepEqual([amount, currency, phone_number, row_ref], [null, null, null, null]);
      assert.deepEqual(findings.counts, { rows: 3, valid: 2, invalid: 0, held: 0, skipped: 1 });
      assert.deepEqual(findings.sums, { KES: '300.75' });
    });
  }

  test('that differs from the sum of the rows stops the file, with both sums', async () => {
    const error = await rejection(file(...rows, 'TOTAL,,,400.75,'), skip);
    assert.match(error.message, /line 4.*400\.75.*300\.75/);
    assert.match(error.hint, /Nothing was sent/);
  });

  test('counts rows that are invalid or held for another reason', async () => {
    const wrong = 'Eve,+25471234,1,50,KES';
    const { findings } = await check(file(...rows, wrong, 'TOTAL,,,350.75,'), { settings: skip });
    assert.deepEqual(findings.counts, { rows: 4, valid: 2, invalid: 1, held: 0, skipped: 1 });
    await rejection(file(...rows, wrong, 'TOTAL,,,300.75,'), skip);
  });

  test('that cannot be compared stops the file: an unreadable amount, or several currencies', async () => {
    const unread = await rejection(file(...rows, 'Eve,+254712345670,1,fifty,KES', 'TOTAL,,,350.75,'), skip);
    assert.match(unread.message, /line 4/);
    const mixed = await rejection(file(...rows, 'Eve,+256772345678,4,5000,UGX', 'TOTAL,,,5300.75,'), skip);
    assert.match(mixed.message, /KES.*UGX/);
  });

  test('that cannot be compared because the currency of a row is not known names that row', async () => {
    for (const total of ['TOTAL,,,350.75,', 'TOTAL,,,350.75,KES']) {
      const unread = await rejection(file(...rows, 'Eve,+254712345670,1,50,KESH', total), skip);
      assert.match(unread.message, /the amount in line 4 or its currency could not be read$/);
    }
    const { findings } = await check(`Name,Phone,Network,Amount\nAda,+254712345678,1,50\nTOTAL,,,50\n`, {
      settings: skip,
    });
    assert.equal(findings.counts.skipped, 1, 'no row has a currency');
  });

  test('of each currency is compared with that currency', async () => {
    const lines = [...rows, 'Eve,+256772345678,4,5000,UGX'];
    const { findings } = await check(file(...lines, 'TOTAL,,,300.75,KES', 'TOTAL,,,5000,UGX'), { settings: skip });
    assert.equal(findings.counts.skipped, 2);
    await rejection(file(...lines, 'TOTAL,,,300.75,KES', 'TOTAL,,,5001,UGX'), skip);
  });

  test('of a part is compared with its part, and the last one with all rows', async () => {
    const parts = [
      rows[0] as string,
      'Subtotal,,,100.50,',
      rows[1] as string,
      'Sub-total,,,200.25,',
      'Total,,,300.75,',
    ];
    const { findings } = await check(file(...parts), { settings: skip });
    assert.deepEqual(findings.counts, { rows: 5, valid: 2, invalid: 0, held: 0, skipped: 3 });
    assert.deepEqual(
      findings.problems.map(({ code, count }) => [code, count]),
      [['TOTAL_LINE', 3]],
    );
  });

  test('stops the file if rows below it are not counted', async () => {
    const error = await rejection(file(...rows, 'TOTAL,,,300.75,', 'Eve,+254712345670,1,50,KES'), skip);
    assert.match(error.message, /line 4, .* 1 row below it/);
  });

  test('is not a row that has a number, nor one without an amount', async () => {
    const { rows: read } = await check(file('TOTAL,+254712345678,1,100,KES', 'Total,,,,'), { settings: skip });
    assert.deepEqual(
      read.map(({ status }) => status),
      ['ready', 'invalid'],
    );
  });

  test('with a doubtful amount matches if one of its readings does', async () => {
    const big = ['Ada,+254712345678,1,1000,KES', 'Bob,+254712345679,1,500,KES'];
    const { findings } = await check(file(...big, 'TOTAL,,,"1,500",'), { settings: skip });
    assert.equal(findings.counts.skipped, 1);
    await rejection(file(...big, 'TOTAL,,,"1,600",'), skip);
  });

  test('is not counted by guards on the number of rows', async () => {
    const settings = { ...skip, guards: { expectedRows: 2, expectedSums: { KES: '300.75' } } };
    const { findings } = await check(file(...rows, 'TOTAL,,,300.75,'), { settings });
    assert.equal(findings.counts.skipped, 1);
  });
});
