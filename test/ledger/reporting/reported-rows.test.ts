import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageReported, pageTroubled } from '../../../src/ledger/reporting/reported-rows.ts';
import { pageRows, type RowRecord } from '../../../src/ledger/rows/rows.ts';
import { testLedger, writeSampleBatch } from '../../reports/fixture.ts';

const columns = ['phone_number', 'network_id', 'amount', 'topup_id', 'cost', 'failure_reason', 'completed_at'] as const;

test('reports read every field of each row as the ledger has it', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  // Values that differ from column to column, so that none can stand in for another.
  const mixed = columns.map((name, at) =>
    name.endsWith('_at') || name.endsWith('_id') ? `${name} = ${at}` : `${name} = '${name}'`,
  );
  await db.execute(
    `UPDATE rows SET ${mixed.join(', ')}, refunded_at = 5, refund_amount = '6', refund_currency = 'USD'`,
  );
  const rows = await pageRows(db, 'B-1', 0, 100);
  const reported = await pageReported(db, 'B-1', 0, 100);
  assert.equal(reported.length, rows.length);
  for (const [at, row] of reported.entries()) {
    for (const [name, value] of Object.entries(row)) assert.equal(value, rows[at]?.[name as keyof RowRecord], name);
  }
  assert.equal(Object.keys(reported[0] ?? {}).length, 29);
});

test('the rows that may need a person are found among all rows', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const troubled = ['invalid', 'held', 'skipped', 'failed', 'in_doubt'];
  const expected = (await pageRows(db, 'B-1', 0, 100)).filter(({ status }) => troubled.includes(status));
  assert.ok(expected.length > 2);
  const found = await pageTroubled(db, 'B-1', 0, 100);
  assert.deepEqual(
    found.map(({ row_no }) => row_no),
    expected.map(({ row_no }) => row_no),
  );
  assert.deepEqual(
    (await pageTroubled(db, 'B-1', expected[0]?.row_no ?? 0, 1)).map(({ row_no }) => row_no),
    [expected[1]?.row_no],
  );
});
