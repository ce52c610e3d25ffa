import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { EventWhy } from '../../src/core/state/event-whys.ts';
import { noteDifference, noteGone } from '../../src/engine/payments/late-differences.ts';
import type { ServicePayment } from '../../src/gateway/contract/gateway.ts';
import type { Database } from '../../src/ledger/drivers/database.ts';
import { countContradicted, noteContradiction, noteSecondPayment } from '../../src/ledger/reporting/contradictions.ts';
import { findRow, type RowRecord } from '../../src/ledger/rows/rows.ts';
import { inUnit, type Unit } from '../../src/ledger/unit-of-work.ts';
import { auditBatch } from '../../src/operations/audit/audit-rows.ts';
import { writeReports } from '../../src/reports/reports.ts';
import { verdictOf } from '../../src/reports/sentences/verdict.ts';
import { batchSummary } from '../../src/reports/summary/summary.ts';
import { openSigningKey } from '../../src/reports/versions/signing-key.ts';
import { verifyReports } from '../../src/verify/verify.ts';
import { folderOf } from '../support/folder.ts';
import { clockOf, signedBy, startMs, testLedger, writeSampleBatch } from './fixture.ts';

const hourMs = 3_600_000;
const unpriced = { cost: null, completedAt: null };

/** The row's own payment, with this cost. */
function paymentOf(row: RowRecord, cost = row.cost ?? '0'): ServicePayment {
  const { topup_id, cost_currency } = row;
  return {
    ...{ topupId: topup_id ?? '', serviceStatus: 'completed', state: 'completed', unknownStatus: false },
    ...{ reference: null, phoneNumber: null, amount: null, productId: null, providerReference: null },
    ...{ failureCode: null, failureReason: null, createdAt: null, completedAt: null, full: true },
    cost: { value: cost, currency: cost_currency ?? '' },
  };
}

/** The service completes a row that had failed, a day after the start. */
function flip(db: Database, rowNo: number): Promise<unknown> {
  const clock = clockOf(db);
  clock.set(startMs + 24 * hourMs);
  return inUnit(db, { clock, actor: 'engine' }, async (unit) => {
    const row = (await findRow(unit.tx, 'B-1', rowNo)) as RowRecord;
    const why: EventWhy = 'the row ended failed, and the service now says completed';
    const found = { why, serviceStatus: 'completed', topupId: row.topup_id, firstSentAt: null, ...unpriced };
    assert.ok(await noteContradiction(unit, row, found));
    assert.equal(await noteContradiction(unit, { ...row, contradicted: 'completed' }, found), null, 'it is noted once');
  });
}

test('a failed row that the service has completed counts as paid in every report, and failed.csv leaves it out', async (t) => {
  const folder = folderOf(t);
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const key = await openSigningKey(join(folder, 'key.pem'));
  const write = () => writeReports(db, 'B-1', folder, signedBy(db, key));
  await write();
  const before = await batchSummary(db, 'B-1');
  assert.equal(before.contradicted.rows, 0);
  assert.match(verdictOf(before).details.join('\n'), /1 row failed: nothing was paid for it/);
  await flip(db, 8);
  const { dir, is_new } = await write();
  const summary = await batchSummary(db, 'B-1');
  assert.equal(is_new, true);
  assert.deepEqual(summary.contradicted, { rows: 1, with_product: 0, requested: { KES: '100.5' } });
  assert.deepEqual([summary.rows.by_status.failed, summary.failures], [1, {}], 'the row keeps its state');
  const { headline, details } = verdictOf(summary);
  assert.match(headline, /^8 of \d+ rows were paid: KES 804/);
  const said = details.join('\n');
  assert.match(
    said,
    /1 row failed at first, but the service said later that it was, or may have been, paid: it counts as/,
  );
  assert.doesNotMatch(said, /nothing was paid/);
  assert.match(
    said,
    /Wallet balances match the charges exactly\. Nothing had been charged by then for the payment of 1 row that failed at first \(results\.csv marks it as contradicted\); later charges are not included here\./,
  );
  const text = (name: string) => readFileSync(join(dir, name), 'utf8');
  assert.doesNotMatch(text('failed.csv'), /R-8/);
  const [header = '', ...lines] = text('results.csv').trim().split('\n');
  assert.match(header, /,contradicted$/);
  assert.deepEqual(lines.map((line) => line.split(',').at(-1)).filter(Boolean), ['completed']);
  const { ok, findings } = await verifyReports(dir);
  assert.deepEqual([ok, findings], [true, []]);
  assert.equal(await countContradicted(db, 'B-1'), 1);
});

for (const [edit, says] of [
  ['contradicted = NULL, contradicted_at = NULL, contradicted_by = NULL', /^row 8 does not say that the service/],
  ['second_topup_id = NULL', /^row 3 has no second payment; the audit chain has one/],
] as const)
  test(`is found in reports and by an audit if somebody removes it: ${edit}`, async (t) => {
    const db = await testLedger(t);
    await writeSampleBatch(db);
    await flip(db, 8);
    await inUnit(db, { clock: clockOf(db), actor: 'engine' }, async (unit) => {
      const second = { serviceStatus: 'completed', topupId: 'second-3', ...unpriced };
      await noteSecondPayment(unit, (await findRow(unit.tx, 'B-1', 3)) as RowRecord, second);
    });
    const found = async () => {
      const key = await openSigningKey(join(folderOf(t), 'key.pem'));
      const { dir } = await writeReports(db, 'B-1', folderOf(t), signedBy(db, key));
      const { findings } = await verifyReports(dir);
      const named = findings.filter(({ file }) => file === 'results.csv').map(({ message }) => message);
      return { named, edited: (await auditBatch(db, 'B-1')).edited };
    };
    assert.deepEqual(await found(), { named: [], edited: [] });
    await db.execute(`UPDATE rows SET ${edit}`);
    const { named, edited } = await found();
    assert.deepEqual([named.length, edited.length], [1, 1]);
    for (const [message] of [named, edited]) assert.match(message ?? '', says);
  });

test('payments whose charges are in no sum are listed if more left the wallets than was charged', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  await flip(db, 8);
  await db.execute(`UPDATE rows SET second_topup_id = 'second-3' WHERE row_no = 3`);
  const balanceIn = async (change: string) => {
    await db.execute(`UPDATE batches SET balance_after = replace(balance_after, '94.4', '${change}')`);
    return verdictOf(await batchSummary(db, 'B-1')).details.join('\n');
  };
  const said = await balanceIn('93.9');
  assert.match(said, /USD 0\.50 more left the wallets than the known charges\.\n/);
  for (const [row, topup] of [
    [3, 'second-3'],
    [8, 'topup-8'],
  ])
    assert.match(
      said,
      new RegExp(`A charge for row ${row} of this batch \\(top-up ${topup}\\) may explain it: .+ reconcile `),
    );
});

test('a skipped row that the service has paid all the same is said so, and the batch needs attention', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  await db.execute("UPDATE rows SET status = 'completed' WHERE batch_id = 'B-1' AND row_no IN (8, 9)");
  const before = verdictOf(await batchSummary(db, 'B-1'));
  assert.equal(before.tone, 'good');
  await inUnit(db, { clock: clockOf(db), actor: 'engine' }, async (unit) => {
    const row = (await findRow(unit.tx, 'B-1', 10)) as RowRecord;
    const why: EventWhy = 'an earlier payment of the row is completed';
    const found = { why, serviceStatus: 'completed', topupId: 'arrived', firstSentAt: startMs, ...unpriced };
    assert.ok(await noteContradiction(unit, row, found));
  });
  const summary = await batchSummary(db, 'B-1');
  assert.deepEqual(summary.contradicted, { rows: 0, with_product: 0, requested: {}, not_sent: 1 });
  const { tone, details } = verdictOf(summary);
  assert.equal(tone, 'attention');
  assert.match(
    details.join('\n'),
    /1 row was skipped or cancelled, and the service says that an earlier payment of it has arrived\. Do not pay it again\./,
  );
  const key = await openSigningKey(join(folderOf(t), 'key.pem'));
  const { dir } = await writeReports(db, 'B-1', folderOf(t), signedBy(db, key));
  assert.ok(readFileSync(join(dir, 'report.html'), 'utf8').includes('an earlier payment of it has arrived'));
});

for (const [what, note] of [
  ['failed', (unit, row) => noteDifference(unit, row, { ...paymentOf(row), state: 'failed', serviceStatus: 'failed' })],
  ['gone', (unit, row) => noteGone(unit, row, true)],
] satisfies [string, (unit: Unit, row: RowRecord) => Promise<unknown>][])
  test(`a completed row whose payment is ${what} later is said so, and the batch needs attention`, async (t) => {
    const db = await testLedger(t);
    await writeSampleBatch(db);
    await db.execute("UPDATE rows SET status = 'completed' WHERE batch_id = 'B-1' AND row_no IN (8, 9)");
    assert.equal(verdictOf(await batchSummary(db, 'B-1')).tone, 'good');
    const seen = async (rowNo: number, see: (unit: Unit, row: RowRecord) => Promise<unknown>) =>
      inUnit(db, { clock: clockOf(db), actor: 'engine' }, async (unit) =>
        see(unit, (await findRow(unit.tx, 'B-1', rowNo)) as RowRecord),
      );
    // Another payment of the row, which failed, says nothing about the row's own.
    const why: EventWhy = 'the row is completed, and the service says failed';
    await seen(3, (unit) => unit.append('B-1', 'row.contradicted', { why, topup_id: 'another' }, 3));
    assert.equal(verdictOf(await batchSummary(db, 'B-1')).tone, 'good');
    await seen(2, note);
    await seen(2, note);
    const summary = await batchSummary(db, 'B-1');
    assert.deepEqual(summary.contradicted, { rows: 0, with_product: 0, requested: {}, taken_back: 1 });
    const { tone, details } = verdictOf(summary);
    assert.equal(tone, 'attention');
    assert.match(
      details.join('\n'),
      /1 row was paid, and the service said later that the payment had not arrived, or no longer had it: ask it/,
    );
    const key = await openSigningKey(join(folderOf(t), 'key.pem'));
    const { dir } = await writeReports(db, 'B-1', folderOf(t), signedBy(db, key));
    assert.ok(readFileSync(join(dir, 'report.html'), 'utf8').includes('later that the payment had not arrived'));
    // Row 9 was made a paid one by SQL; nothing else is odd.
    const { findings } = await verifyReports(dir);
    const odd = findings.filter(({ file, message }) => file === 'summary.json' && !message.includes('PHONE_INVALID'));
    assert.deepEqual(odd, []);
    await seen(4, (unit, row) => noteDifference(unit, row, paymentOf(row, '0.9')));
    assert.equal((await batchSummary(db, 'B-1')).contradicted.taken_back, 1, 'another cost is no such report');
  });
