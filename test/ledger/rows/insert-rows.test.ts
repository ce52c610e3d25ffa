import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertRows } from '../../../src/ledger/rows/insert-rows.ts';
import { type NewRow, pageRows } from '../../../src/ledger/rows/rows.ts';
import { aRow, memoryLedger } from '../../support/ledger.ts';

/** Values that differ from column to column, so that none can stand in for another. */
function rowOf(rowNo: number): NewRow {
  return aRow(rowNo, { line: 3 * rowNo, network_id: 7, input: `["${rowNo}"]` });
}

const unlike: readonly Partial<NewRow>[] = [
  { status: 'invalid', problems: '[{"code":"PHONE_MISSING"}]', phone_number: null, country: null, row_ref: null },
  { status: 'held', problems: '[{"code":"DUPLICATE"}]' },
  { product_id: 'data-1gb', amount: null },
  { sms_message: 'Merci !' },
  { status: 'skipped', network_id: null, currency: null },
  { problems: '[{"code":"DUPLICATE"}]' },
];

/** 130 rows, in which those at these places (0 for the first) are not like most. */
function rowsWith(places: readonly number[]): NewRow[] {
  return Array.from({ length: 130 }, (_, at) => ({
    ...rowOf(at + 1),
    ...(places.includes(at) ? unlike[at % unlike.length] : {}),
  }));
}

for (const [what, places] of [
  ['all alike', []],
  ['one with problems', [48]],
  ['one that is held', [49]],
  ['one with a product', [50]],
  ['one with a message', [51]],
  ['one that was skipped', [52]],
  ['one that is ready and has problems', [53]],
  ['none like the others', Array.from({ length: 130 }, (_, at) => at)],
] as const) {
  test(`rows are stored as given: ${what}`, async () => {
    const db = await memoryLedger();
    const rows = rowsWith(places);
    await db.transact((tx) => insertRows(tx, rows));
    const found = await pageRows(db, 'batch-1', 0, 1_000);
    assert.equal(found.length, rows.length);
    for (const [at, row] of rows.entries()) {
      for (const [name, value] of Object.entries(row)) assert.equal(found[at]?.[name as keyof NewRow], value, name);
      assert.deepEqual([found[at]?.generation, found[at]?.attempts, found[at]?.topup_id], [1, 0, null]);
    }
    await db.close();
  });
}
