import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { readXlsx } from 'hucre/xlsx';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { writeReports } from '../../../src/reports/reports.ts';
import { openSigningKey } from '../../../src/reports/versions/signing-key.ts';
import { verifyReports } from '../../../src/verify/verify.ts';
import { check } from '../../intake/support.ts';
import { folderOf } from '../../support/folder.ts';
import {
  columns,
  completedWay,
  failedWay,
  invalidRow,
  newBatch,
  newRow,
  signedBy,
  testLedger,
  writeBatch,
  writeSampleBatch,
} from '../fixture.ts';

async function failed(t: TestContext, db: Database): Promise<string[][]> {
  const { dir } = await writeReports(db, 'B-1', folderOf(t));
  return parse(await readFile(join(dir, 'failed.csv')), { bom: true, relax_column_count: true });
}

test('failed.csv has only the failed and invalid rows, as in the file, with what is wrong and what to do', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const [header, ...lines] = await failed(t, db);
  assert.deepEqual(header, [...columns, 'problem', 'suggestion']);
  assert.deepEqual(lines, [
    [
      '+254712000008',
      '1',
      '100.50',
      'KES',
      '',
      'R-8',
      'Person 8',
      'The operator declined it',
      'Read the reason, correct the row if necessary, and send it again.',
    ],
    [
      '0712',
      '1',
      '100',
      'KES',
      '',
      'R-9',
      'Person 9',
      '"0712" is too short to be a phone number.',
      'Write the whole number, with its country code.',
    ],
  ]);
});

test('a spreadsheet reads its accents: it begins with a byte order mark', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const { dir } = await writeReports(db, 'B-1', folderOf(t));
  assert.deepEqual([...(await readFile(join(dir, 'failed.csv'))).subarray(0, 3)], [0xef, 0xbb, 0xbf]);
});

test('a corrected failed.csv that fails again has each problem and suggestion once', async (t) => {
  const db = await testLedger(t);
  const again = JSON.stringify(['phone_number', 'problem', 'suggestion', 'name']);
  const input = JSON.stringify(['0712', 'old problem', 'old suggestion', 'Ann']);
  await writeBatch(db, newBatch('B-1', { columns: again }), [{ row: invalidRow('B-1', 1, { input }) }]);
  const [header, line] = await failed(t, db);
  assert.deepEqual(header, ['phone_number', 'name', 'problem', 'suggestion']);
  assert.deepEqual(line?.slice(0, 3), ['0712', 'Ann', '"0712" is too short to be a phone number.']);
});

test('a line with too many cells keeps them beyond the header, so that it cannot pass as complete', async (t) => {
  const db = await testLedger(t);
  const input = JSON.stringify(['0712', '1', '1', '000', 'KES', '', 'R', 'Ann', 'more']);
  await writeBatch(db, newBatch('B-1'), [{ row: invalidRow('B-1', 1, { input }) }]);
  const [header = [], line = []] = await failed(t, db);
  assert.equal(header.length, 9);
  assert.deepEqual(line.slice(9), ['Ann', 'more']);
});

test('if every row was paid, it has only a header, and there is no failed.xlsx', async (t) => {
  const db = await testLedger(t);
  await writeBatch(db, newBatch('B-1'), [{ row: newRow('B-1', 1), way: completedWay(1) }]);
  const { dir } = await writeReports(db, 'B-1', folderOf(t));
  assert.equal((await readFile(join(dir, 'failed.csv'), 'utf8')).trim().split('\n').length, 1);
  assert.equal(existsSync(join(dir, 'failed.xlsx')), false);
});

test('failed.xlsx has the same rows as text, is signed, and is read again as the same rows', async (t) => {
  const db = await testLedger(t);
  const input = JSON.stringify(['00254712000001', '01', '1250.00', 'KES', '', '=R-1', '+Ann']);
  await writeBatch(db, newBatch('B-1'), [
    { row: newRow('B-1', 1, { input, amount: '1250' }), way: failedWay(1) },
    { row: invalidRow('B-1', 2) },
    { row: newRow('B-1', 3), way: completedWay(3) },
  ]);
  const folder = folderOf(t);
  const key = await openSigningKey(join(folder, 'key.pem'));
  const { dir } = await writeReports(db, 'B-1', folder, signedBy(db, key));
  const path = join(dir, 'failed.xlsx');
  const { sheets } = await readXlsx(await readFile(path));
  const [header = [], first = [], ...others] = sheets[0]?.rows ?? [];
  assert.equal(sheets.length, 1);
  assert.deepEqual(header, [...columns, 'problem', 'suggestion']);
  // Without the apostrophe that the CSV needs; the empty cell is not in the sheet.
  assert.deepEqual(
    [...first.slice(0, 4), ...first.slice(5, 7)],
    ['00254712000001', '01', '1250.00', 'KES', '=R-1', '+Ann'],
  );
  assert.equal(others.length, 1);
  const rowsIn = async (content: Buffer) =>
    (await check(content)).rows.map(({ phone_number, amount, row_ref, status }) => [
      ...[phone_number, amount, row_ref, status],
    ]);
  assert.deepEqual(await rowsIn(await readFile(path)), await rowsIn(await readFile(join(dir, 'failed.csv'))));
  assert.match(await readFile(join(dir, 'manifest.json'), 'utf8'), /"failed\.xlsx"/);
  assert.deepEqual((await verifyReports(dir)).findings, []);
  const masked = await writeReports(db, 'B-1', folder, { ...signedBy(db, key), mask: true });
  assert.deepEqual(
    masked.files.filter((name) => /failed/.test(name)),
    [],
  );
});

test('a failure is explained by its code if the code is known', async (t) => {
  const db = await testLedger(t);
  await writeBatch(db, newBatch('B-1'), [
    { row: newRow('B-1', 1), way: failedWay(1, '218', 'product network mismatch') },
  ]);
  const [, line = []] = await failed(t, db);
  assert.match(line.at(-1) ?? '', /another network than the number/);
});
