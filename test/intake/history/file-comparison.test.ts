import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { makeScratch } from '../../../src/intake/file/scratch-files.ts';
import { makeFileComparison } from '../../../src/intake/history/file-comparison.ts';
import type { FileRow } from '../../../src/intake/rows/file-rows.ts';
import { folderOf } from '../../support/folder.ts';
import { check, csv, goodRow, problemCodes, rowOfMany, useTemporary } from '../support.ts';

const statuses = (rows: { status: string }[]) => rows.map(({ status }) => status);

describe('the same reference twice', () => {
  const rows = [
    goodRow({ reference: 'A' }),
    goodRow({ reference: 'B', phone_number: '+254712345679' }),
    goodRow({ reference: 'A', amount: '200' }),
    goodRow({ reference: 'A', amount: '300' }),
  ];

  test('makes every row with it invalid, and names both lines', async () => {
    const { rows: checked } = await check(csv(rows));
    assert.deepEqual(statuses(checked), ['invalid', 'ready', 'invalid', 'invalid']);
    assert.deepEqual(checked.flatMap(problemCodes), ['REFERENCE_TWICE', 'REFERENCE_TWICE', 'REFERENCE_TWICE']);
    assert.match(checked[0]?.problems[0]?.message ?? '', /Line 2 and line 4/);
    assert.match(checked[2]?.problems[0]?.message ?? '', /Line 4 and line 2/);
    assert.match(checked[3]?.problems[0]?.message ?? '', /Line 5 and line 2/);
    assert.deepEqual([checked[0]?.problems[0]?.column, checked[0]?.problems[0]?.value], ['reference', 'A']);
  });

  test('is found even if one of the rows is invalid', async () => {
    const { rows: checked } = await check(csv([goodRow({ reference: 'A', amount: 'x' }), goodRow({ reference: 'A' })]));
    assert.deepEqual(checked.map(problemCodes), [['AMOUNT_NOT_A_NUMBER', 'REFERENCE_TWICE'], ['REFERENCE_TWICE']]);
  });
});

describe('the same number and amount twice', () => {
  const rows = [
    goodRow(),
    goodRow({ amount: '100.00', phone_number: '254 712 345 678' }),
    goodRow({ amount: '50' }),
    goodRow(),
  ];

  test('holds each row by default, and names the first', async () => {
    const { rows: checked, findings } = await check(csv(rows));
    assert.deepEqual(statuses(checked), ['ready', 'held', 'ready', 'held']);
    assert.match(checked[1]?.problems[0]?.message ?? '', /Line 3 pays the same number the same amount as line 2/);
    assert.deepEqual(findings.counts, { rows: 4, valid: 2, invalid: 0, held: 2, skipped: 0 });
    assert.deepEqual(findings.sums, { KES: '150' });
  });

  test('is paid if the configuration allows it, and each row has its own row ref', async () => {
    const { rows: checked } = await check(csv(rows), { settings: { duplicates: 'allow' } });
    assert.deepEqual(statuses(checked), ['ready', 'ready', 'ready', 'ready']);
    assert.equal(new Set(checked.map(({ row_ref }) => row_ref)).size, 4);
    assert.match(checked[3]?.row_ref ?? '', /-3$/);
  });

  test('is refused if the configuration says so', async () => {
    const { rows: checked } = await check(csv(rows), { settings: { duplicates: 'reject' } });
    assert.deepEqual(statuses(checked), ['ready', 'invalid', 'ready', 'invalid']);
  });

  test('does not count invalid rows', async () => {
    const { rows: checked } = await check(csv([goodRow({ network_id: '' }), goodRow()]));
    assert.deepEqual(statuses(checked), ['invalid', 'ready']);
  });

  test('holds the same product twice, but not two different products', async () => {
    const product = (id: string) => goodRow({ amount: '', currency: '', product_id: id });
    const { rows: checked } = await check(csv([product('101'), product('102'), product('101')]));
    assert.deepEqual(statuses(checked), ['ready', 'ready', 'held']);
    assert.match(checked[2]?.problems[0]?.message ?? '', /same product as line 2/);
  });
});

test('makes a row ref from the occurrences of rows without a reference only', async () => {
  const settings = { duplicates: 'allow' };
  const named = (reference: string) => goodRow({ reference });
  const { rows: alone } = await check(csv([goodRow(), goodRow()]), { settings });
  const refs = alone.map(({ row_ref }) => row_ref);
  for (const rows of [
    [named('A'), goodRow(), named('B'), goodRow(), named('C')],
    [goodRow(), named('A'), named('B'), goodRow()],
  ]) {
    const { rows: mixed } = await check(csv(rows), { settings });
    assert.deepEqual(
      mixed.filter(({ has_reference }) => !has_reference).map(({ row_ref }) => row_ref),
      refs,
    );
  }
});

test('keeps the row ref of a row without a reference when other rows, its network or its message change', async () => {
  const before = await check(csv([goodRow({ sms_message: 'Hello' }), goodRow({ amount: '7', sms_message: '' })]));
  const after = await check(csv([goodRow({ amount: '7', network_id: '2', sms_message: 'Good day' })]));
  assert.equal(before.rows[1]?.row_ref, after.rows[0]?.row_ref);
});

test('holds a number from the row that exceeds its maximum', async () => {
  const rows = ['60', '40', '0.01', '5'].map((amount) => goodRow({ amount }));
  const { rows: checked } = await check(csv([...rows, goodRow({ phone_number: '+254712345679' })]), {
    settings: { guards: { numberMax: { KES: '100' } } },
  });
  assert.deepEqual(statuses(checked), ['ready', 'ready', 'held', 'held', 'ready']);
  assert.deepEqual(problemCodes(checked[2]), ['NUMBER_MAXIMUM']);
  assert.match(checked[2]?.problems[0]?.message ?? '', /gets more than KES 100\.00 from the file/);
});

test('counts a sum toward the maximum of a number to its last digit, however large', async () => {
  const rows = ['42949672.96', '0.04', '0.01'].map((amount) => goodRow({ amount }));
  const { rows: checked } = await check(csv(rows), { settings: { guards: { numberMax: { KES: '42949673' } } } });
  assert.deepEqual(statuses(checked), ['ready', 'ready', 'held']);
});

test('repeats are found in files of many rows', async () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => rowOfMany(index));
  rows[15_000] = { ...rowOfMany(15_000), reference: 'R-1' };
  rows[19_999] = { ...rowOfMany(5), reference: 'R-last' };
  const { findings, rows: checked } = await check(csv(rows));
  assert.deepEqual(findings.counts, { rows: 20_000, valid: 19_997, invalid: 2, held: 1, skipped: 0 });
  assert.deepEqual(problemCodes(checked[1]), ['REFERENCE_TWICE']);
  assert.deepEqual(problemCodes(checked[15_000]), ['REFERENCE_TWICE']);
  assert.deepEqual(problemCodes(checked[19_999]), ['DUPLICATE']);
});

test('repeats are found if rows are compared on disk, and nothing is left there', (t) => {
  const folder = folderOf(t);
  useTemporary(t, folder);
  const row = (rowNo: number, reference: string, phone: number): FileRow => ({
    row_no: rowNo,
    line: rowNo + 1,
    status: 'ready',
    row_ref: reference,
    has_reference: true,
    before: null,
    phone_number: `+${phone}`,
    country: 'KE',
    network_id: 1,
    amount: '1',
    currency: 'KES',
    product_id: null,
    sms_message: null,
    problems: [],
    input: '[]',
  });
  const rowCount = 250_000;
  const scratch = makeScratch();
  const file = t.mock.method(scratch, 'file');
  const comparison = makeFileComparison(scratch, { KES: '1' });
  for (let rowNo = 1; rowNo <= rowCount; rowNo++) comparison.note(row(rowNo, `R-${rowNo}`, 254_700_000_000 + rowNo));
  comparison.note(row(rowCount + 1, 'R-7', 254_700_000_009));
  comparison.compare();
  assert.notEqual(file.mock.callCount(), 0);
  assert.deepEqual(readdirSync(folder), [], 'what a crash would leave');
  const found = Array.from({ length: rowCount + 1 }, (_, index) => comparison.of(index + 1));
  assert.equal(found.filter(Boolean).length, 2);
  assert.equal(found[6]?.referenceLine, rowCount + 2);
  assert.deepEqual(found.at(-1), { referenceLine: 8, contentLine: 10, occurrence: 1, isBeyondMaximum: true });
  scratch.dispose();
});
