import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addAmounts } from '../../../src/core/money/money.ts';
import { type JournalEntry, journalOf } from '../../../src/reports/reconcile/journal.ts';
import { journalCsv, type journalFormats } from '../../../src/reports/reconcile/journal-csv.ts';
import {
  balanceJson,
  completedWay,
  newBatch,
  newRow,
  paidAgain,
  refundRows,
  startMs,
  testLedger,
  writeBatch,
  writeSampleBatch,
} from '../fixture.ts';

const november = { account: 'main', fromMs: Date.UTC(2026, 10, 1), toMs: Date.UTC(2026, 11, 1) - 1 };
const dayMs = 86_400_000;

describe('the journal of an account', () => {
  test('has an entry for each batch and day, and agrees with the balances', async (t) => {
    const db = await testLedger(t);
    await writeSampleBatch(db);
    const { entries, totals, wallets, uncertain } = await journalOf(db, november);
    assert.deepEqual(entries, [
      { date: '2026-11-01', batch_id: 'B-1', kind: 'sent', currency: 'USD', amount: '5.6', payments: 7 },
    ]);
    assert.deepEqual([totals, uncertain], [{ USD: '5.6' }, 0]);
    assert.deepEqual(wallets?.currencies, [{ currency: 'USD', left: '5.6', charged: '5.6', unexplained: '0' }]);
    assert.deepEqual((await journalOf(db, { ...november, account: 'other' })).entries, []);
    assert.deepEqual((await journalOf(db, { ...november, fromMs: startMs + dayMs })).totals, {});
  });

  test('loses no charge at midnight, where the service’s clock differs from this machine’s', async (t) => {
    const db = await testLedger(t);
    await writeSampleBatch(db);
    const midnight = Date.UTC(2026, 10, 2);
    // Of a job that runs at midnight, of a batch that ended right before midnight, and of a service that writes the
    // time of its own zone.
    for (const [started, accepted, date] of [
      [midnight + 500, midnight - 1_500, '2026-11-01'],
      [midnight - 60_000, midnight + 500, '2026-11-02'],
      [midnight - 3 * 3_600_000, midnight + 500, '2026-11-02'],
    ] as const) {
      await db.execute('UPDATE batches SET started_at = ?, completed_at = ?', [started, started + 59_000]);
      await db.execute('UPDATE rows SET accepted_at = ? WHERE cost IS NOT NULL', [accepted]);
      const { entries, totals } = await journalOf(db, november);
      assert.deepEqual(
        entries.map((entry) => entry.date),
        [date],
      );
      assert.deepEqual(totals, { USD: '5.6' });
    }
  });

  test('has earlier payments of retried rows, and refunds on their own day', async (t) => {
    const db = await testLedger(t);
    await writeSampleBatch(db);
    await refundRows(db, [
      [1, '0.80'],
      [2, '0.30'],
      [3, null],
    ]);
    const later = newBatch('B-2', {
      created_at: startMs + 1,
      run_id: 'promo',
      balance_before: balanceJson({}, startMs),
    });
    await writeBatch(db, later, [
      { row: newRow('B-2', 1), way: paidAgain(1) },
      { row: newRow('B-2', 2), way: completedWay(2, '1.25') },
    ]);
    const { entries, totals } = await journalOf(db, november);
    const shown = entries.map(({ batch_id, kind, amount, payments }) => [batch_id, kind, amount, payments]);
    assert.deepEqual(shown.toSorted(), [
      ['B-1', 'refund', '-1.1', 2],
      ['B-1', 'sent', '5.6', 7],
      ['B-2', 'sent', '2.05', 2],
      ['B-2', 'sent_before', '0.8', 0],
    ]);
    assert.deepEqual(totals, { USD: '7.35' });
  });
});

describe('the lines of a journal', () => {
  const entry = (fields: Partial<JournalEntry>): JournalEntry => ({
    ...{ date: '2026-11-02', batch_id: 'B-1', kind: 'sent', currency: 'USD', amount: '1', payments: 1 },
    ...fields,
  });
  const entries = [
    entry({ amount: '10.0044' }),
    entry({ amount: '-2', kind: 'refund' }),
    entry({ amount: '0.0021', currency: 'USD', date: '2026-11-03' }),
    entry({ amount: '3500', currency: 'UGX', date: '2026-11-03' }),
  ];
  const books = { expense: '6100', wallets: { USD: '1200' } };
  const linesOf = (format: (typeof journalFormats)[number], some = entries) =>
    journalCsv(some, format, books, () => 'payroll')
      .trimEnd()
      .split('\n');

  test('are exact in the plain form, a debit and a credit for each entry', () => {
    assert.deepEqual(linesOf('plain').slice(0, 5), [
      'date,journal_no,account,debit,credit,currency,description,kind,batch_id,run_id,payments',
      '2026-11-02,20261102-1,6100,10.0044,,USD,"Airtime sent: payroll, 1 payment (batch B-1)",sent,B-1,payroll,1',
      '2026-11-02,20261102-1,1200,,10.0044,USD,"Airtime sent: payroll, 1 payment (batch B-1)",sent,B-1,payroll,1',
      '2026-11-02,20261102-2,6100,,2,USD,"Airtime refunded: payroll, 1 payment (batch B-1)",refund,B-1,payroll,1',
      '2026-11-02,20261102-2,1200,2,,USD,"Airtime refunded: payroll, 1 payment (batch B-1)",refund,B-1,payroll,1',
    ]);
  });

  test('are rounded for programs that import them, so that they add up to the rounded total', () => {
    const lines = linesOf('quickbooks').map((line) => line.replace(/".*"/, ''));
    assert.deepEqual(lines, [
      'JournalNo,JournalDate,AccountName,Debits,Credits,Description,Currency',
      '20261102-1,11/02/2026,6100,10.00,,,USD',
      '20261102-1,11/02/2026,1200,,10.00,,USD',
      '20261102-2,11/02/2026,6100,,2.00,,USD',
      '20261102-2,11/02/2026,1200,2.00,,,USD',
      '20261103-1,11/03/2026,6100,0.01,,,USD',
      '20261103-1,11/03/2026,1200,,0.01,,USD',
      '20261103-2,11/03/2026,6100,3500,,,UGX',
      '20261103-2,11/03/2026,Airtime wallet UGX,,3500,,UGX',
    ]);
  });

  test('have a sign for Xero, and no amount is a text', () => {
    assert.deepEqual(linesOf('xero', [entry({ amount: '12.5' })]), [
      '*Narration,*Date,Description,*AccountCode,*TaxRate,*Amount',
      'airbatch 20261102-1 USD,02/11/2026,"Airtime sent: payroll, 1 payment (batch B-1)",6100,Tax Exempt,12.5',
      'airbatch 20261102-1 USD,02/11/2026,"Airtime sent: payroll, 1 payment (batch B-1)",1200,Tax Exempt,-12.5',
    ]);
  });

  test('balance to nothing, whatever the format', () => {
    const amounts = linesOf('xero')
      .slice(1)
      .map((line) => line.split(',').at(-1) ?? '');
    assert.equal(amounts.reduce(addAmounts), '0');
  });
});
