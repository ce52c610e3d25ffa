import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readXlsx, streamXlsxRows } from 'hucre/xlsx';
import { contentRowRef } from '../../../src/core/identity/ids.ts';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { writeRefund } from '../../../src/ledger/rows/refunds.ts';
import { findRow } from '../../../src/ledger/rows/rows.ts';
import { type Cell, type Sheet, workbook } from '../../../src/reports/render/workbook.ts';
import { writeReports } from '../../../src/reports/reports.ts';
import { check } from '../../intake/support.ts';
import { folderOf } from '../../support/folder.ts';
import {
  completedWay,
  failedWay,
  invalidRow,
  newBatch,
  newRow,
  startMs,
  testLedger,
  writeBatch,
  writeSampleBatch,
} from '../fixture.ts';

async function bytesOf(sheets: Sheet[]): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of workbook(sheets)) pieces.push(piece);
  return Buffer.concat(pieces);
}

const sheetOf = (rows: Cell[][]): Sheet => ({ name: 'Sheet', widths: [10], header: null, rows: [rows] });

/** The workbook as an independent reader sees it. */
async function cellsOf(rows: Cell[][]): Promise<unknown[][]> {
  const { sheets } = await readXlsx(await bytesOf([sheetOf(rows)]));
  return sheets[0]?.rows ?? [];
}

async function reportBook(t: TestContext, db: Database, options = {}) {
  const { dir } = await writeReports(db, 'B-1', folderOf(t), options);
  return { path: join(dir, 'results.xlsx'), book: await readXlsx(await readFile(join(dir, 'results.xlsx'))) };
}

test('the workbook has a summary, the results and the problems', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const { book } = await reportBook(t, db);
  assert.deepEqual(
    book.sheets.map(({ name }) => name),
    ['Summary', 'Results', 'Problems'],
  );
  const [summary, results, problems] = book.sheets.map(({ rows }) => rows);
  assert.equal(summary?.[0]?.[0], 'Payout payroll-2026-11');
  assert.equal(results?.length, 11);
  assert.deepEqual(
    problems?.slice(1).map(([row, , state]) => [row, state]),
    [
      [8, 'failed'],
      [9, 'invalid'],
    ],
  );
});

test('a failure without a code of the service has no code in any sheet, and the summary hides no part of a name', async (t) => {
  const db = await testLedger(t);
  await writeBatch(db, newBatch('B-1'), [{ row: newRow('B-1', 1), way: failedWay(1) }]);
  await db.execute('UPDATE rows SET failure_code = NULL');
  await db.execute('UPDATE batches SET file_name = ?', ['pay\u202evsc.csv']);
  const { book } = await reportBook(t, db);
  const [summary, , problems] = book.sheets.map(({ rows }) => rows);
  assert.ok(summary?.some(([name, value]) => name === 'File' && value === 'pay\\u202evsc.csv'));
  assert.ok(summary?.some(([name, rows]) => name === 'no code given' && rows === 1));
  assert.deepEqual(problems?.[1]?.slice(5, 9), ['R-1', null, null, 'The operator declined it']);
});

test('no sheet of a masked workbook has a name derived from a number', async (t) => {
  const db = await testLedger(t);
  const made = contentRowRef(['+254712000001', '100.50', 'KES', null], 1);
  const row = newRow('B-1', 1, { row_ref: made, input: '[]' });
  await writeBatch(db, newBatch('B-1'), [{ row, way: failedWay(1) }]);
  const named = async (options: object) =>
    (await reportBook(t, db, options)).book.sheets
      .filter(({ rows }) => JSON.stringify(rows).includes(made))
      .map(({ name }) => name);
  assert.deepEqual([await named({}), await named({ mask: true })], [['Results', 'Problems'], []]);
});

test('the results sheet has the data of results.csv, with headings for people', async (t) => {
  const db = await testLedger(t);
  await writeBatch(db, newBatch('B-1', { columns: '["phone_number","amount","currency"]' }), [
    {
      row: newRow('B-1', 1, { line: 4, sms_message: 'Thanks', input: '["+254712000001","100.50"]' }),
      way: completedWay(1),
    },
    { row: invalidRow('B-1', 2, { line: 9 }) },
  ]);
  const { path, book } = await reportBook(t, db);
  const [header = [], first = [], second = []] = book.sheets[1]?.rows ?? [];
  const csv = await readFile(path.replace(/xlsx$/, 'csv'), 'utf8');
  assert.equal(header.length, csv.split(/\r?\n/)[0]?.split(',').length);
  assert.deepEqual(header.slice(0, 7), ['Row', 'Reference', 'State', 'Phone number', 'Network', 'Amount', 'Currency']);
  assert.ok(header.includes('File: phone_number'));
  assert.deepEqual(header.slice(-3), ['SMS text', 'Line in the file', 'Column of the problem']);
  assert.deepEqual(
    header.filter((name) => /_id|_at|_ref|_code/.test(String(name))),
    [],
  );
  assert.deepEqual(first.slice(header.length - 3, header.length - 1), ['Thanks', 4]);
  assert.deepEqual(second.slice(header.length - 2), [9, 'phone_number']);
});

test('numbers are numbers, times are times, and names and phone numbers are text', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const { book } = await reportBook(t, db);
  const [header = [], first = []] = book.sheets[1]?.rows ?? [];
  const cell = (name: string) => first[header.indexOf(name)];
  assert.deepEqual(
    [cell('Row'), cell('Phone number'), cell('Amount'), cell('Charged'), cell('First sent')],
    [1, '+254712000001', 100.5, 0.8, new Date(startMs + 1_000)],
  );
});

test('each time names its zone, and each refunded row shows when and how much', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const row = await findRow(db, 'B-1', 2);
  assert.ok(row);
  await writeRefund(db, row, { refunded_at: startMs, refund_amount: '0.8', refund_currency: 'USD' });
  const { path, book } = await reportBook(t, db);
  const [summary, results] = book.sheets;
  const [header = [], , second = [], third = []] = results?.rows ?? [];
  assert.deepEqual(header.slice(-3), ['Came back at', 'Came back', 'Came back in']);
  assert.deepEqual(second.slice(-3), [new Date(startMs), 0.8, 'USD']);
  assert.deepEqual(third.slice(header.length - 3).filter(Boolean), [], 'the others have none');
  assert.ok(summary?.rows.some(([what, count]) => what === 'completed, and refunded since' && count === 1));
  if (spawnSync('unzip', ['-v']).error) return t.skip('unzip is not installed');
  const styles = execFileSync('unzip', ['-p', path, 'xl/styles.xml'], { encoding: 'utf8' });
  assert.match(styles, /formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss&quot; UTC&quot;"/);
});

test('an amount with more digits than a spreadsheet can hold stays text, complete', async () => {
  const [row] = await cellsOf([
    [
      { as: 'decimal', value: '90071992547409.93' },
      { as: 'decimal', value: '9007199254740.93' },
    ],
  ]);
  assert.deepEqual(row, ['90071992547409.93', 9007199254740.93]);
});

test('texts that XML cannot hold unchanged survive, and none of them is a formula', async () => {
  const texts = [
    '<b>&"\'',
    'a\u0000b\u001fc',
    'line\r\nbreak',
    '_x0041_',
    ' spaced ',
    'emoji 🎉',
    'half \ud800',
    '=1+1',
    '@x',
    '+254712000001',
  ];
  const [row] = await cellsOf([texts]);
  assert.deepEqual(row, texts.with(6, 'half \ufffd'));
});

test('a text that begins like a formula is text for every reader, without a visible apostrophe', async (t) => {
  const texts = [
    '=1+1',
    '+254 (0)711',
    '-5',
    '@SUM(A1)',
    '\t=1',
    '=HYPERLINK("http://x")',
    "=cmd|' /C calc'!A0",
    '\uFF1D1',
  ];
  const bytes = await bytesOf([sheetOf([texts])]);
  const { sheets } = await readXlsx(bytes);
  assert.deepEqual(sheets[0]?.rows[0], texts);
  const path = join(folderOf(t), 'b.xlsx');
  await writeFile(path, bytes);
  if (spawnSync('unzip', ['-v']).error) return t.skip('unzip is not installed');
  const part = (name: string) => execFileSync('unzip', ['-p', path, name], { encoding: 'utf8' });
  const cells = [...part('xl/worksheets/sheet1.xml').matchAll(/<c [^>]*>/g)].map(([tag]) => tag);
  assert.equal(cells.length, texts.length);
  // Of the type text, in the format text: not computed when it is opened, nor when somebody edits it.
  for (const tag of cells) assert.match(tag, / s="0" t="inlineStr">$/);
  assert.doesNotMatch(part('xl/worksheets/sheet1.xml'), /<f[ >]/);
  const [first = ''] = /<cellXfs.*?(<xf [^>]*>)/s.exec(part('xl/styles.xml'))?.slice(1) ?? [];
  assert.match(first, /numFmtId="49"/);
});

test('the results are no file to pay: most of their rows were paid', async (t) => {
  const db = await testLedger(t);
  await writeBatch(db, newBatch('B-1'), [{ row: newRow('B-1', 1), way: completedWay(1) }]);
  const { path } = await reportBook(t, db);
  const results = await readFile(path);
  await assert.rejects(check(results, { settings: { sheet: 'Results' } }), /the results of a batch.*not a file to pay/);
});

test('the name of the person is next to the number, and is masked together with numbers', async (t) => {
  const db = await testLedger(t);
  const columns = JSON.stringify(['phone', 'Prénom', 'NOM']);
  const input = JSON.stringify(['+254712000001', 'Amina', 'Otieno']);
  await writeBatch(db, newBatch('B-1', { columns }), [{ row: newRow('B-1', 1, { input }), way: failedWay(1) }]);
  const { book } = await reportBook(t, db);
  const [, results, problems] = book.sheets.map(({ rows }) => rows);
  assert.deepEqual(
    [results?.[0]?.[4], results?.[1]?.[4], problems?.[1]?.[3]],
    ['Name', 'Amina Otieno', 'Amina Otieno'],
  );
  const { path, book: masked } = await reportBook(t, db, { mask: true });
  assert.equal(masked.sheets[1]?.rows[1]?.[4], 'A***');
  const files = ['results.csv', 'report.html', 'summary.json'].map((name) => path.replace('results.xlsx', name));
  for (const file of [...files, path]) {
    const text = file === path ? JSON.stringify(masked.sheets) : await readFile(file, 'utf8');
    assert.doesNotMatch(text, /Amina|Otieno/, file);
  }
});

test('rows of any length stay complete and in order', async () => {
  const lengths = [1, 30_000, 7, 30_000, 30_000, 1, ...Array.from({ length: 300 }, (_, at) => at * 10)];
  const rows = lengths.map((length, at): Cell[] => {
    const long = '\u6f22'.repeat(length);
    return [`row ${at}`, ...Array.from({ length: at === 1 ? 4 : 1 }, () => long || 'none')];
  });
  // A reader of whole sheets puts each row where its number says; what order they stand in shows row by row.
  const read: { index: number; values: unknown[] }[] = [];
  for await (const row of streamXlsxRows(await bytesOf([sheetOf(rows)]))) read.push(row);
  assert.deepEqual(
    read.map(({ index, values }) => ({ index, values })),
    rows.map((values, index) => ({ index, values })),
  );
});

test('the header stays in place and can be filtered', async (t) => {
  const bytes = await bytesOf([{ name: 'S', widths: [5, 5], header: ['a', 'b'], rows: [[['1', '2']]] }]);
  const folder = folderOf(t);
  const path = join(folder, 'b.xlsx');
  await (await import('node:fs/promises')).writeFile(path, bytes);
  if (spawnSync('unzip', ['-v']).error) return t.skip('unzip is not installed');
  const xml = execFileSync('unzip', ['-p', path, 'xl/worksheets/sheet1.xml'], { encoding: 'utf8' });
  assert.match(xml, /<pane ySplit="1"[^>]*state="frozen"\/>/);
  assert.match(xml, /<autoFilter ref="A1:B2"\/>/);
});

test('an error while rows are read ends the workbook with that error', async () => {
  async function* rows(): AsyncGenerator<Cell[][]> {
    yield [['1']];
    throw new Error('the ledger is gone');
  }
  await assert.rejects(bytesOf([{ name: 'S', widths: [], header: null, rows: rows() }]), /the ledger is gone/);
});

test('LibreOffice opens the workbook and finds no formula in it', async (t) => {
  if (spawnSync('soffice', ['--version']).error) return t.skip('LibreOffice is not installed');
  const db = await testLedger(t);
  const input = JSON.stringify(['+254712000001', '1', '100.50', 'KES', '', 'R-1', '=1+1']);
  await writeBatch(db, newBatch('B-1'), [{ row: newRow('B-1', 1, { input }), way: completedWay(1) }]);
  const { path } = await reportBook(t, db);
  const folder = folderOf(t);
  const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`;
  const args = [profile, '--headless', '--convert-to', 'fods', '--outdir', folder, path];
  execFileSync('soffice', args, { stdio: 'pipe', timeout: 120_000 });
  const opened = await readFile(join(folder, 'results.fods'), 'utf8');
  assert.match(opened, />=1\+1</);
  assert.doesNotMatch(opened, /table:formula=/);
});
