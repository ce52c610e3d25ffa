import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { z } from 'zod';
import { refusal } from '../../../src/core/basics/refusal.ts';
import { noteGone } from '../../../src/engine/payments/late-differences.ts';
import { rowsSentTo } from '../../../src/ledger/reporting/paid-rows.ts';
import { requireRow } from '../../../src/ledger/rows/rows.ts';
import { inUnit } from '../../../src/ledger/unit-of-work.ts';
import { performIn, type RoleOperation } from '../../../src/operations/base/operation.ts';
import { listPaidFiles } from '../../../src/operations/batches/list-paid-files.ts';
import { findPayments } from '../../../src/operations/rows/find-payments.ts';
import type { Session } from '../../../src/runtime/session/session.ts';
import {
  clockOf,
  completedWay,
  newBatch,
  newRow,
  refundRows,
  startMs,
  testLedger,
  writeBatch,
  writeSampleBatch,
} from '../../reports/fixture.ts';
import { sqliteLedger } from '../../support/ledger.ts';
import { planned } from '../../support/planned.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

const month = { from: '2026-11-01T00:00:00Z', to: '2026-11-30T23:59:59Z' };

/** The sample batch of the account "main", and a batch of the account "other" that pays the number of its first row. */
async function ledger(t: Parameters<typeof testLedger>[0], accounts: readonly string[] = []) {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const more = { account: 'other', run_id: 'promo', file_name: 'promo.csv', created_at: startMs + 1_000 };
  await writeBatch(db, newBatch('B-2', more), [
    { row: newRow('B-2', 1, { amount: '50' }), way: completedWay(1) },
    { row: newRow('B-2', 2, { phone_number: '+254712000001' }), way: completedWay(2).slice(0, 2) },
  ]);
  const config = { people: {}, intake: { country: 'KE' } };
  const caller = { person: 'ann', through: 'api', grant: { roles: ['audit'], accounts } };
  const session = { db, clock: makeVirtualClock(), config, ...caller } as unknown as Session;
  const ask = <Input extends z.ZodType, Result extends z.ZodType>(
    operation: RoleOperation<Input, Result>,
    input: z.input<Input>,
  ) => performIn(session, operation, { nameOf: (field) => field }, input);
  return { db, ask };
}

test('a number is found in all batches, however it is written; the answer masks it', async (t) => {
  const { ask } = await ledger(t);
  const found = await ask(findPayments, { number: '0712 000 001' });
  assert.deepEqual(
    found.payments.map(({ batch_id, row_no, status }) => [batch_id, row_no, status]),
    [
      ['B-2', 2, 'accepted'],
      ['B-1', 1, 'completed'],
      ['B-2', 1, 'completed'],
    ],
  );
  assert.deepEqual([found.paid_rows, found.paid, found.charged], [2, { KES: '150.5' }, { USD: '1.6' }]);
  assert.deepEqual([found.open_rows, found.open, found.is_cut], [1, { KES: '100.5' }, false]);
  assert.equal(found.phone_number, '2********001');
  assert.doesNotMatch(JSON.stringify(found), /254712000001/);
  const other = await ask(findPayments, { number: '+254712000001', account: 'other' });
  assert.deepEqual([other.paid_rows, other.paid], [1, { KES: '50' }]);
});

test('a failed payment that the service contradicts counts as paid, and a refund is taken off', async (t) => {
  const { db, ask } = await ledger(t);
  await db.execute(
    `UPDATE rows SET status = 'failed', contradicted = 'completed' WHERE batch_id = 'B-2' AND row_no = 1`,
  );
  await db.execute(
    `UPDATE rows SET refunded_at = ?, refund_amount = cost, refund_currency = cost_currency WHERE batch_id = 'B-1' AND row_no = 1`,
    [startMs + 60_000],
  );
  const found = await ask(findPayments, { number: '+254712000001' });
  assert.deepEqual(
    found.payments.map(({ batch_id, row_no, counts_as_paid, refunded_at }) => [
      batch_id,
      row_no,
      counts_as_paid,
      refunded_at !== null,
    ]),
    [
      ['B-2', 2, false, false],
      ['B-1', 1, true, true],
      ['B-2', 1, true, false],
    ],
  );
  assert.deepEqual([found.paid_rows, found.refunded_rows, found.charged], [2, 1, { USD: '0.8' }]);
  const { files, rows, charged, refunded_rows } = await ask(listPaidFiles, month);
  assert.deepEqual([charged, refunded_rows], [{ USD: '5.6' }, 1]);
  assert.deepEqual(
    [rows, files.map((file) => [file.batch_id, file.rows, file.refunded_rows])],
    [
      8,
      [
        ['B-1', 7, 1],
        ['B-2', 1, 0],
      ],
    ],
  );
  // The service has charged the failed payment when it completed it.
  await db.execute(`UPDATE rows SET cost = '0' WHERE batch_id = 'B-2' AND row_no = 1`);
  await db.execute(
    `INSERT INTO late_charges (batch_id, row_no, topup_id, cost, cost_currency, charged_at)
     SELECT batch_id, row_no, topup_id, '0.55', 'USD', completed_at + 60000 FROM rows WHERE batch_id = 'B-2' AND row_no = 1`,
  );
  const later = await ask(listPaidFiles, { ...month, account: 'other' });
  assert.deepEqual([later.rows, later.charged, later.refunded_rows], [1, { USD: '0.55' }, 0]);
  const number = '+254712000001';
  assert.deepEqual((await ask(findPayments, { number })).charged, { USD: '0.55' });
  // The service gives the late charge back: both say so.
  await db.execute(
    `UPDATE late_charges SET refunded_at = charged_at + 1, refund_amount = cost WHERE batch_id = 'B-2' AND row_no = 1`,
  );
  const back = await ask(findPayments, { number });
  assert.deepEqual([back.charged, back.refunded_rows], [{ USD: '0' }, 2]);
  assert.deepEqual(
    back.payments.map(({ batch_id, refunded_at }) => [batch_id, refunded_at]),
    [
      ['B-2', null],
      ['B-1', new Date(startMs + 60_000).toISOString()],
      ['B-2', new Date(startMs + 61_901).toISOString()],
    ],
  );
  const other = await ask(listPaidFiles, { ...month, account: 'other' });
  assert.deepEqual([other.charged, other.refunded_rows], [{ USD: '0' }, 1]);
});

test('a refund whose amount is not told is counted, and nothing is taken off', async (t) => {
  const { db, ask } = await ledger(t);
  await refundRows(db, [[1, null]]);
  const { charged, refunded_rows } = await ask(listPaidFiles, { ...month, account: 'main' });
  assert.deepEqual([charged, refunded_rows], [{ USD: '5.6' }, 1]);
  const found = await ask(findPayments, { number: '+254712000001', account: 'main' });
  assert.deepEqual([found.charged, found.refunded_rows], [{ USD: '0.8' }, 1]);
});

for (const status of ['skipped', 'cancelled'])
  test(`a ${status} row whose earlier payment has arrived counts as paid`, async (t) => {
    const { db, ask } = await ledger(t);
    const day = 86_400_000;
    // Long after the batch, the service has a payment of the row.
    const learnedAt = startMs + 3 * day;
    await db.execute(
      `UPDATE rows SET status = ?, contradicted = 'completed', contradicted_at = ?, topup_id = NULL, completed_at = NULL
       WHERE batch_id = 'B-2' AND row_no = 1`,
      [status, learnedAt],
    );
    await db.execute("UPDATE batches SET status = 'completed', completed_at = ? WHERE batch_id = 'B-2'", [
      startMs + day,
    ]);
    const found = await ask(findPayments, { number: '+254712000001' });
    assert.deepEqual([found.payments.at(-1)?.counts_as_paid, found.paid_rows, found.open_rows], [true, 2, 1]);
    assert.deepEqual(found.paid, { KES: '150.5' });
    const that = new Date(learnedAt).toISOString();
    const { files, paid } = await ask(listPaidFiles, { account: 'other', from: that, to: that });
    assert.deepEqual([files.map(({ batch_id, rows }) => [batch_id, rows]), paid], [[['B-2', 1]], { KES: '50' }]);
  });

test('a completed row that the service took back does not count as paid', async (t) => {
  const { db, ask } = await ledger(t);
  await inUnit(db, { clock: clockOf(db), actor: 'engine' }, async (unit) => {
    const row = await requireRow(unit.tx, 'B-1', 1);
    await noteGone(unit, row, true);
  });
  const found = await ask(findPayments, { number: '+254712000001' });
  assert.deepEqual(
    found.payments.map(({ batch_id, row_no, counts_as_paid }) => [batch_id, row_no, counts_as_paid]),
    [
      ['B-2', 2, false],
      ['B-1', 1, false],
      ['B-2', 1, true],
    ],
  );
  assert.deepEqual([found.paid_rows, found.paid], [1, { KES: '50' }]);
  const { files } = await ask(listPaidFiles, { ...month, account: 'main' });
  assert.deepEqual([files.map(({ rows }) => rows)], [[6]]);
});

test('a second payment that the service has for a row is shown', async (t) => {
  const { db, ask } = await ledger(t);
  assert.equal((await ask(findPayments, { number: '+254712000001' })).paid_twice_rows, 0);
  await db.execute("UPDATE rows SET second_topup_id = 'second' WHERE batch_id = 'B-1' AND row_no = 1");
  const { payments, paid_twice_rows } = await ask(findPayments, { number: '+254712000001' });
  assert.equal(paid_twice_rows, 1);
  assert.deepEqual(
    payments.map(({ second_topup_id }) => second_topup_id),
    [null, 'second', null],
  );
});

test('a search ends at the times that it names, and counts batches whose people were forgotten', async (t) => {
  const { db, ask } = await ledger(t);
  const earlier = { number: '+254712000001', to: new Date(startMs + 500).toISOString() };
  assert.deepEqual((await ask(findPayments, earlier)).payments, []);
  assert.equal((await ask(findPayments, { number: '+254712000001', ...month })).forgotten_batches, 0);
  await db.transact((tx) => tx.execute(`UPDATE batches SET forgotten_at = 1 WHERE batch_id = 'B-1'`));
  assert.equal((await ask(findPayments, { number: '+254712000001', ...month })).forgotten_batches, 1);
});

test('who may see one account finds only its payments', async (t) => {
  const { ask } = await ledger(t, ['other']);
  assert.deepEqual((await ask(findPayments, { number: '+254712000001' })).paid, { KES: '50' });
  assert.deepEqual((await ask(listPaidFiles, month)).paid, { KES: '50' });
  await assert.rejects(ask(findPayments, { number: '+254712000001', account: 'main' }), { code: 'ACCOUNT_UNKNOWN' });
});

test('a time that ends before it begins is refused', async (t) => {
  const { ask } = await ledger(t);
  const reversed = { from: month.to, to: month.from };
  const reason = refusal('TIMES_BACKWARDS', {});
  const fault = { code: 'USAGE', message: `to ${reversed.to} is before from ${reversed.from}`, reason };
  await assert.rejects(ask(findPayments, { number: '+254712000001', ...reversed }), fault);
  await assert.rejects(ask(listPaidFiles, reversed), fault);
});

test('what is no number is refused without repeating it', async (t) => {
  const { ask } = await ledger(t);
  await assert.rejects(ask(findPayments, { number: '0712' }), (error: Error) => !/0712/.test(JSON.stringify(error)));
});

test('a number is found by an index, however many rows there are', async (t) => {
  const db = await sqliteLedger();
  t.after(() => db.close());
  const { view, plans } = planned(db);
  await rowsSentTo(view, '+254712000001', { accounts: null, fromMs: 0, toMs: startMs, limit: 500 });
  assert.match(plans[0] ?? '', /SEARCH rows USING INDEX rows_sent \(phone_number=\?/);
});

test('the files whose rows were paid in a time have their own sums, the last paid first', async (t) => {
  const { ask } = await ledger(t);
  const { files, rows, paid, charged } = await ask(listPaidFiles, month);
  assert.deepEqual(
    files.map(({ file_name, rows: ofFile, paid: sums }) => [file_name, ofFile, sums]),
    [
      ['payroll.csv', 7, { KES: '703.5' }],
      ['promo.csv', 1, { KES: '50' }],
    ],
  );
  assert.deepEqual([rows, paid, charged], [8, { KES: '753.5' }, { USD: '6.4' }]);
  const second = { from: new Date(startMs + 2_000).toISOString(), to: new Date(startMs + 3_000).toISOString() };
  const [only, ...others] = (await ask(listPaidFiles, second)).files;
  assert.deepEqual([only?.rows, only?.first_paid_at, others], [1, '2026-11-01T08:00:02.900Z', []]);
});

for (const [what, started] of [
  ['differs from this machine’s', '2026-11-02T00:00:00.500Z'],
  ['shows the time of its own zone', '2026-11-02T03:00:00Z'],
] as const)
  test(`a file is found on the day of its payments, where the service’s clock ${what}`, async (t) => {
    const { db, ask } = await ledger(t);
    await db.execute("UPDATE batches SET started_at = ?, completed_at = ? WHERE batch_id = 'B-1'", [
      Date.parse(started),
      Date.parse(started) + 60_000,
    ]);
    await db.execute("UPDATE rows SET completed_at = ? WHERE batch_id = 'B-1' AND status = 'completed'", [
      Date.parse('2026-11-01T23:59:59Z'),
    ]);
    const { files } = await ask(listPaidFiles, { from: '2026-11-01T00:00:00Z', to: '2026-11-01T23:59:59Z' });
    assert.deepEqual(
      files.map(({ batch_id, rows }) => [batch_id, rows]),
      [
        ['B-1', 7],
        ['B-2', 1],
      ],
    );
  });
