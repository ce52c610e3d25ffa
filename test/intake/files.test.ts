import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { AirbatchError } from '../../src/core/basics/errors.ts';
import { check, csv, goodRow, problemCodes, rowOfMany } from './support.ts';

const header = 'phone_number,network_id,amount,currency,reference,name';
const row = '+254712345678,1,100,KES,R-1,José Müller';
const text = `${header}\r\n${row}\r\n`;

const utf16be = (content: string) => Buffer.from(`\uFEFF${content}`, 'utf16le').swap16();

const encodings: { name: string; bytes: Buffer }[] = [
  { name: 'UTF-8', bytes: Buffer.from(text) },
  { name: 'UTF-8', bytes: Buffer.from(`\uFEFF${text}`) },
  { name: 'UTF-16LE', bytes: Buffer.from(`\uFEFF${text}`, 'utf16le') },
  { name: 'UTF-16LE', bytes: Buffer.from(text, 'utf16le') },
  { name: 'UTF-16BE', bytes: utf16be(text) },
  { name: 'UTF-16BE', bytes: utf16be(text).subarray(2) },
  { name: 'Windows-1252', bytes: Buffer.from(text, 'latin1') },
];

describe('a file', () => {
  for (const { name, bytes } of encodings) {
    const mark = bytes[0] === 0x70 || bytes[1] === 0x70 ? 'without' : 'with';
    test(`in ${name} ${mark} a mark is read as written, in chunks of any size`, async () => {
      for (const chunkBytes of [1, 7, 1_000]) {
        const { rows, header: columns, findings } = await check(bytes, { chunkBytes });
        assert.equal(rows[0]?.status, 'ready');
        assert.equal(columns[0], 'phone_number');
        assert.equal((JSON.parse(rows[0]?.input ?? '') as string[])[5], 'José Müller');
        assert.equal(findings.file.encoding, name);
      }
    });
  }

  test('in Windows-1252 keeps the characters that only this encoding has', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`${header}\n+254712345678,1,100,KES,R-1,`),
      Buffer.from([0x80, 0x93, 0x94, 0x0a]),
    ]);
    const { rows } = await check(bytes);
    assert.equal((JSON.parse(rows[0]?.input ?? '') as string[])[5], '€“”');
  });

  for (const [name, delimiter] of [
    ['semicolons', ';'],
    ['tabs', '\t'],
    ['pipes', '|'],
    ['commas', ','],
  ] as const) {
    test(`with ${name} between its cells is read`, async () => {
      const content = `${header}\n+254712345678,1,100,KES,R-1,"A${delimiter}B"\n`.replaceAll(',', delimiter);
      const { rows, findings } = await check(content);
      assert.equal((JSON.parse(rows[0]?.input ?? '') as string[])[5], `A${delimiter}B`);
      assert.equal(findings.file.delimiter, delimiter);
    });
  }

  test('with commas in the cells of its header, and semicolons between them, is read', async () => {
    const { rows } = await check(
      'phone_number;network_id;"amount, net, rounded, final";amount;currency\n+254712345678;1;x;5;KES\n',
    );
    assert.equal(rows[0]?.amount, '5');
  });

  test('may name its separator in a first line, which is not a row', async () => {
    const { rows, findings } = await check(`sep=^\r\n${text.replaceAll(',', '^')}`);
    assert.deepEqual([rows.length, rows[0]?.line, rows[0]?.status], [1, 3, 'ready']);
    assert.equal(findings.file.delimiter, '^');
  });

  for (const [name, end] of [
    ['CRLF', '\r\n'],
    ['LF', '\n'],
    ['CR', '\r'],
  ] as const) {
    test(`with ${name} at the end of its lines has the line numbers of an editor`, async () => {
      const second = '"+254712345679","1","100","KES","R-2","two\nlines"';
      const content = [header, row, '', second, row.replace('R-1', 'R-3'), ''].join(end);
      for (const chunkBytes of [1, 10_000]) {
        const { rows } = await check(content, { chunkBytes });
        assert.deepEqual(
          rows.map(({ row_no, line }) => [row_no, line]),
          [
            [1, 2],
            [2, 4],
            [3, 6],
          ],
        );
      }
    });
  }

  test('in gzip is unpacked', async () => {
    const { rows, findings } = await check(gzipSync(text));
    assert.equal(rows[0]?.status, 'ready');
    assert.equal(findings.file.format, 'gzip');
  });

  test('gives the same rows in chunks of any size', async () => {
    const content = csv(Array.from({ length: 300 }, (_, index) => rowOfMany(index)));
    const whole = await check(content);
    const small = await check(content, { chunkBytes: 13 });
    assert.deepEqual(small.rows, whole.rows);
    assert.equal(whole.rows.length, 300);
  });

  test('reports how much of it was read', async () => {
    const seen: number[] = [];
    const content = csv(Array.from({ length: 7_000 }, (_, index) => rowOfMany(index)));
    await check(content, {
      chunkBytes: 10_000,
      onProgress: ({ rows, bytes, bytesTotal }) => {
        assert.equal(bytesTotal, content.length);
        assert.ok(bytes <= bytesTotal);
        seen.push(rows);
      },
    });
    assert.ok(seen.length > 2);
    assert.equal(seen.at(-1), 7_000);
  });

  test('is closed when the reader gives up', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await assert.rejects(check(csv([goodRow()]), { signal }), /enough/);
  });
});

test('with a first column called ID is a CSV, not a SYLK spreadsheet', async () => {
  const { rows } = await check('ID;Phone;network;amount;currency\nP1;+254712345678;1;5;KES\n');
  assert.equal(rows[0]?.status, 'ready');
});

const workbookOfOld = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]);

const rejections: [string, string | Buffer, RegExp, Record<string, unknown>?][] = [
  ['is empty', '', /empty/],
  ['has nothing but blank lines', '\n\n,,\n', /no text in it|no column/],
  ['has a header alone', `${header}\n`, /no rows/],
  [
    'has no column for the number',
    'name,amount,network_id\nMary,1,1\n',
    /no column for phone_number.*"name", "amount", "network_id"/,
  ],
  ['has columns without end', `${'a,'.repeat(1_000)}b\n`, /more than 1000 columns/],
  ['names a column twice', `${header},amount\n${row},5\n`, /two columns are named "amount"/],
  [
    'has two columns that could be the number',
    'mobile,telephone,network_id,amount\n1,2,3,4\n',
    /"mobile" and "telephone" could each be/,
  ],
  ['is a PDF document', '%PDF-1.7\n', /PDF/],
  ['is an old workbook', workbookOfOld, /old Excel workbook/],
  ['is a SYLK spreadsheet', 'ID;PWXL;N;E\r\nP;PGeneral\r\nC;Y1;X1;K"phone"\r\nE\r\n', /SYLK spreadsheet \(\.slk\)/],
  ['is a DIF spreadsheet', 'TABLE\r\n0,1\r\n"EXCEL"\r\n', /\.dif/],
  ['is a spreadsheet in XML', '<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>', /saved as XML/],
  ['is a web page in one file', 'MIME-Version: 1.0\r\nContent-Type: multipart/related', /\.mht/],
  ['is an archive', Buffer.from('377abcaf271c0004', 'hex'), /\.7z/],
  ['is a web page', '\n<!DOCTYPE html><html></html>', /web page/],
  ['is JSON, an object', '{ "phone_number": "+254712345678" }', /a JSON file/],
  ['is JSON, a list', '\uFEFF[\n  { "phone_number": "+254712345678" }]', /a JSON file/],
  ['has zero bytes', `${header}\n${row}\0\n`, /zero bytes/],
  [
    'changes its encoding',
    Buffer.concat([Buffer.from(text), Buffer.from(`${' '.repeat(300)}\n${row}\n`, 'latin1')]),
    /only part of the file is UTF-8/,
  ],
  [
    'is UTF-16 that was cut in a character',
    Buffer.from(`\uFEFF${text}`, 'utf16le').subarray(0, -1),
    /not UTF-16LE to its end/,
  ],
  [
    'leaves a quotation mark open',
    `${header}\n"+254712345678,1,100,KES,R-1,x\n${row}\n`,
    /line 2 .*(never closed|not closed)/,
  ],
  ['has a row without an end', `${header}\n"${'x,'.repeat(200_000)}`, /line 2 .*longer than|never closed/],
  ['is gzip that was cut short', gzipSync(text).subarray(0, -9), /cut short/],
  ['is gzip that was damaged', Buffer.concat([gzipSync(text).subarray(0, 20), Buffer.alloc(40, 7)]), /damaged/],
  ['is packed twice', gzipSync(gzipSync(text)), /packed twice/],
  [
    'unpacks beyond the limit',
    gzipSync(text.repeat(100)),
    /more than 1000 bytes/,
    { limits: { unpackedBytesMax: 1_000 } },
  ],
  ['has more rows than allowed', `${text}${row}\n`, /more than 1 rows/, { guards: { rowsMax: 1 } }],
  [
    'pays more than allowed',
    `${text}${row.replace('R-1', 'R-2')}\n`,
    /more than KES 150\.00/,
    { guards: { batchMax: { KES: '150' } } },
  ],
  [
    'has no trailer though one is expected',
    text,
    /does not end in a line that begins with "TOTAL"/,
    { guards: { trailer: 'TOTAL' } },
  ],
  [
    'tells of more rows than it has',
    `${text}TOTAL,2,100\n`,
    /says 2 rows, but the file has 1/,
    { guards: { trailer: 'TOTAL' } },
  ],
  [
    'tells of another sum than it has',
    `${text}TOTAL,1,100.01\n`,
    /100\.01 in all.*add up to 100/,
    { guards: { trailer: 'TOTAL' } },
  ],
  ['has other rows than it should have', text, /should have 2 rows, but has 1/, { guards: { expectedRows: 2 } }],
  [
    'adds up to another sum than it should',
    text,
    /should add up to KES 99\.50, but add up to KES 100\.00/,
    { guards: { expectedSums: { KES: '99.50' } } },
  ],
  ['has a column that is a trap', `${header},__proto__\n${row},x\n`, /a name that is not allowed/],
];

describe('a file is rejected, in one sentence, when it', () => {
  for (const [what, content, says, settings] of rejections) {
    test(what, async () => {
      await assert.rejects(check(content, settings ? { settings } : {}), (error: unknown) => {
        assert.ok(error instanceof AirbatchError, String(error));
        assert.equal(error.code, 'FILE_REJECTED');
        assert.equal(error.exitCode, 3);
        assert.match(error.message, says);
        assert.ok(!error.message.includes('\n'));
        return true;
      });
    });
  }
});

test('a correct file is accepted', async () => {
  const { rows } = await check(text, {
    settings: { guards: { expectedRows: 1, expectedSums: { KES: '100', UGX: '0' } } },
  });
  assert.equal(rows[0]?.status, 'ready');
});

describe('a trailer', () => {
  test('that agrees with the file is not a row', async () => {
    const content = `${text}${row.replace('R-1', 'R-2').replace('100', '0.50')}\nTotal;2;"100,50"\n`;
    const { rows } = await check(content.replaceAll(',', ';').replace('100;50', '100,50'), {
      settings: { guards: { trailer: 'TOTAL' } },
      chunkBytes: 11,
    });
    assert.equal(rows.length, 2);
  });
});

describe('the amounts of a file', () => {
  const ambiguous = goodRow({ amount: '1.234' });

  test('together decide how one of them is read, wherever in the file the proof is', async () => {
    const rows = Array.from({ length: 200 }, (_, index) => goodRow({ amount: String(index + 1) }));
    const grouped = await check(csv([ambiguous, ...rows, goodRow({ amount: '2.000,50' })]), { chunkBytes: 500 });
    assert.equal(grouped.rows[0]?.amount, '1234');
    // With three decimals both readings stay possible: half of the column may be written in another way.
    const dinars = await check(
      csv([goodRow({ amount: '1.234', currency: 'TND' }), ...rows, goodRow({ amount: '0.5' })]),
    );
    assert.deepEqual(problemCodes(dinars.rows[0]), ['AMOUNT_AMBIGUOUS']);
  });

  test('that contradict each other decide nothing', async () => {
    const { rows } = await check(csv([ambiguous, goodRow({ amount: '2.000,50' }), goodRow({ amount: '2,000.50' })]));
    assert.deepEqual(problemCodes(rows[0]), ['AMOUNT_AMBIGUOUS']);
  });

  test('are read as the configuration says, if it says so', async () => {
    const { rows } = await check(csv([ambiguous]), { settings: { decimalSign: ',' } });
    assert.equal(rows[0]?.amount, '1234');
  });
});
