import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { addAmounts } from '../../../src/core/money/money.ts';
import type { PauseReason } from '../../../src/core/state/batch-state.ts';
import { rowStates } from '../../../src/core/state/row-state.ts';
import { nextGeneration } from '../../../src/engine/payments/next-generation.ts';
import { type BatchRecord, findBatch } from '../../../src/ledger/batches/batches.ts';
import { saveCost } from '../../../src/ledger/rows/costs.ts';
import { findRow, type RowRecord } from '../../../src/ledger/rows/rows.ts';
import { inUnit } from '../../../src/ledger/unit-of-work.ts';
import { writeReports } from '../../../src/reports/reports.ts';
import { balanceSentences } from '../../../src/reports/sentences/balance-sentences.ts';
import { failureText } from '../../../src/reports/sentences/format.ts';
import { verdictOf } from '../../../src/reports/sentences/verdict.ts';
import { batchSummary } from '../../../src/reports/summary/summary.ts';
import type { Failures } from '../../../src/reports/summary/summary-shape.ts';
import { openSigningKey } from '../../../src/reports/versions/signing-key.ts';
import { verifyReports } from '../../../src/verify/verify.ts';
import { folderOf } from '../../support/folder.ts';
import { setPause } from '../../support/ledger.ts';
import {
  balanceJson,
  clockOf,
  completedWay,
  failedWay,
  newBatch,
  newRow,
  paidAgain,
  refundRows,
  type Step,
  signedBy,
  startMs,
  testLedger,
  writeBatch,
  writeSampleBatch,
} from '../fixture.ts';
import { giveBack, giveEarlierBack } from '../late.ts';

test('the counts cover every state and add up to the rows of the file', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const { rows } = await batchSummary(db, 'B-1');
  assert.deepEqual(Object.keys(rows.by_status).sort(), [...rowStates].sort());
  assert.equal(
    Object.values(rows.by_status).reduce((sum, count) => sum + count),
    10,
  );
  assert.deepEqual([rows.total, rows.valid, rows.by_status.completed, rows.by_status.failed], [10, 8, 7, 1]);
});

test('sums are exact decimals: of all valid rows, and of the completed ones', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const { requested, charged } = await batchSummary(db, 'B-1');
  assert.deepEqual(requested.valid, { KES: '804' });
  assert.deepEqual(requested.completed, { KES: '703.5' });
  assert.deepEqual(charged.total, { USD: '5.6' });
});

test('sums do not round where binary floats would', async (t) => {
  const db = await testLedger(t);
  const amounts = ['0.1', '0.2', '90071992547409.93'];
  const rows = amounts.map((amount, at) => ({
    row: newRow('B-1', at + 1, { amount }),
    way: completedWay(at + 1, amount),
  }));
  await writeBatch(db, newBatch('B-1'), rows);
  const { requested, charged } = await batchSummary(db, 'B-1');
  assert.deepEqual(requested.valid, { KES: '90071992547410.23' });
  assert.deepEqual(charged.completed, { USD: '90071992547410.23' });
});

test('what left the wallets is explained by what the rows were charged', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const { balance } = await batchSummary(db, 'B-1');
  assert.deepEqual(balance.wallets, [
    {
      wallet_id: 'USD-global',
      name: 'USD-global wallet',
      currency: 'USD',
      before: '100',
      after: '94.4',
      difference: '5.6',
    },
  ]);
  assert.deepEqual(balance.explanation, [
    {
      currency: 'USD',
      difference: '5.6',
      charged_by_this_batch: '5.6',
      charged_late: '0',
      charged_by_other_batches: '0',
      came_back: '0',
      unexplained: '0',
    },
  ]);
  assert.equal(balance.explained, true);
});

test('an unexplained rest is shown, whatever its sign', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db, 'B-1', {
    balance_before: balanceJson({ 'USD-global': '101.25', 'KES-local': '10' }, startMs - 500),
  });
  const { balance } = await batchSummary(db, 'B-1');
  assert.deepEqual(
    balance.explanation.map(({ currency, unexplained }) => [currency, unexplained]),
    [
      ['KES', '10'],
      ['USD', '1.25'],
    ],
  );
  assert.equal(balance.explained, false);
});

test('charges of other batches of the account in the same time are shown separately', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db, 'B-1', { balance_before: balanceJson({ 'USD-global': '101.6' }, startMs - 500) });
  const beside = [1, 2].map((rowNo) => ({ row: newRow('B-2', rowNo), way: completedWay(rowNo) }));
  await writeBatch(db, newBatch('B-2', { run_id: 'promo' }), beside);
  await writeBatch(db, newBatch('B-3', { account: 'other' }), [{ row: newRow('B-3', 1), way: completedWay(1) }]);
  const { balance } = await batchSummary(db, 'B-1');
  assert.deepEqual(balance.explanation, [
    {
      currency: 'USD',
      difference: '7.2',
      charged_by_this_batch: '5.6',
      charged_late: '0',
      charged_by_other_batches: '1.6',
      came_back: '0',
      unexplained: '0',
    },
  ]);
});

test('rows that had been paid before the balance was first read, as after a restore, explain that less left the wallets', async (t) => {
  const db = await testLedger(t);
  const readAfterFirstRow = (balance: string) => ({
    balance_before: balanceJson({ 'USD-global': balance }, startMs + 1_500),
  });
  await writeSampleBatch(db, 'B-1', readAfterFirstRow('99.2'));
  await writeSampleBatch(db, 'B-2', { ...readAfterFirstRow('98'), account: 'other', run_id: 'promo' });
  await writeSampleBatch(db, 'B-3', { ...readAfterFirstRow('100'), account: 'third', run_id: 'loan' });
  const proofOf = async (batchId: string) => {
    const summary = await batchSummary(db, batchId);
    const [{ charged_by_this_batch = '', unexplained = '' } = {}] = summary.balance.explanation;
    return [charged_by_this_batch, unexplained, balanceSentences(summary).join(' ')];
  };
  const earlier = 'USD 0.80 was charged before the balance was first read, and is not compared with it.';
  assert.deepEqual(await proofOf('B-1'), ['4.8', '0', `Wallet balances match the charges exactly. ${earlier}`]);
  const deposit =
    'USD 1.20 less left the wallets than was charged: airbatch knows of no deposit or refund of that amount.';
  assert.deepEqual(await proofOf('B-2'), [
    '4.8',
    '-1.2',
    `${deposit} To look for a refund: airbatch reconcile --batch B-2 ${earlier}`,
  ]);
  // As much left the wallets as was charged: the first row was paid after the reading, by a service whose clock differs.
  assert.deepEqual(await proofOf('B-3'), ['5.6', '0', 'Wallet balances match the charges exactly.']);
  for (const batchId of ['B-1', 'B-2', 'B-3']) {
    const key = await openSigningKey(join(folderOf(t), 'key.pem'));
    const { dir } = await writeReports(db, batchId, folderOf(t), signedBy(db, key));
    assert.deepEqual((await verifyReports(dir)).findings, [], batchId);
  }
});

test('refunds of other batches in the same time reduce their charges, whenever they were paid', async (t) => {
  const db = await testLedger(t);
  // 1.6 for the rows beside it, and 1.4 back: 0.6 of 0.8 for one of them, and all of what was paid long before.
  await writeSampleBatch(db, 'B-1', { balance_before: balanceJson({ 'USD-global': '100.2' }, startMs - 500) });
  const paid = (batchId: string) => [1, 2].map((rowNo) => ({ row: newRow(batchId, rowNo), way: completedWay(rowNo) }));
  await writeBatch(db, newBatch('B-2', { run_id: 'promo' }), paid('B-2'));
  await writeBatch(db, newBatch('B-0', { run_id: 'october' }), paid('B-0').slice(0, 1));
  await db.execute("UPDATE batches SET completed_at = ? WHERE batch_id = 'B-0'", [startMs - 86_400_000]);
  await writeBatch(db, newBatch('B-3', { account: 'other', run_id: 'x' }), paid('B-3').slice(0, 1));
  const inTime = { hours: 1 / 7_200 };
  await giveBack(db, 1, { ...inTime, batchId: 'B-2', amount: '0.60' });
  await giveBack(db, 1, { ...inTime, batchId: 'B-0', amount: '5.00' });
  await giveBack(db, 1, { ...inTime, batchId: 'B-3' });
  await giveBack(db, 2, { batchId: 'B-2', hours: 24 });
  const { balance } = await batchSummary(db, 'B-1');
  const [usd] = balance.explanation;
  assert.deepEqual([usd?.charged_by_other_batches, usd?.unexplained], ['0.2', '0']);
});

test('charges and refunds of other batches before a retry count for those batches as well', async (t) => {
  const db = await testLedger(t);
  // 0.80 twice for the row beside it, and 0.70 back: 0.30 of its first payment, and 0.40 of one of the day before.
  await writeSampleBatch(db, 'B-1', { balance_before: balanceJson({ 'USD-global': '100.9' }, startMs - 500) });
  const again = (batchId: string) => [{ row: newRow(batchId, 1), way: paidAgain(1) }];
  await writeBatch(db, newBatch('B-2', { run_id: 'promo' }), again('B-2'));
  await writeBatch(db, newBatch('B-0', { run_id: 'october' }), again('B-0'));
  await writeBatch(db, newBatch('B-3', { account: 'other', run_id: 'x' }), again('B-3'));
  const day = 86_400_000;
  await db.execute("UPDATE batches SET completed_at = completed_at - ? WHERE batch_id = 'B-0'", [day]);
  await db.execute("UPDATE events SET at = at - ? WHERE batch_id = 'B-0'", [day]);
  await giveEarlierBack(db, 1, { batchId: 'B-2', seconds: 10, amount: '0.30' });
  await giveEarlierBack(db, 1, { batchId: 'B-0', seconds: 10, amount: '0.40' });
  await giveEarlierBack(db, 1, { batchId: 'B-3', seconds: 10, amount: '0.10' });
  // After the wallets were read for the second time; all that was told of one payment is one sum.
  await giveEarlierBack(db, 1, { batchId: 'B-2', seconds: 3_600, amount: '0.80' });
  const [usd] = (await batchSummary(db, 'B-1')).balance.explanation;
  assert.deepEqual([usd?.charged_by_other_batches, usd?.unexplained], ['0.9', '0']);
});

test('without a balance reading, the report claims nothing about it', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db, 'B-1', { balance_before: null });
  const { balance } = await batchSummary(db, 'B-1');
  assert.deepEqual([balance.before_read_at, balance.explained, balance.explanation], [null, null, []]);
});

test('problems and failures are counted by code', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const { problems, failures } = await batchSummary(db, 'B-1');
  assert.deepEqual(problems, { PHONE_INVALID: 1 });
  assert.deepEqual(failures, {
    PROVIDER_DECLINED: { rows: 1, reason: 'The operator declined it', other_reasons: 0 },
  });
});

test('rows in doubt have their own sum and age', async (t) => {
  const db = await testLedger(t);
  await writeBatch(
    db,
    newBatch('B-1'),
    [
      {
        row: newRow('B-1', 1),
        way: [
          ['send', { attempts: 1, first_sent_at: startMs }],
          ['doubt', { next_action_at: startMs + 60_000 }],
        ],
      },
    ],
    null,
  );
  const { in_doubt, status } = await batchSummary(db, 'B-1');
  assert.equal(status, 'running');
  assert.deepEqual(in_doubt, {
    rows: 1,
    left_to_person: 0,
    requested: { KES: '100.5' },
    oldest_sent_at: '2026-11-01T08:00:00.000Z',
  });
});

test('a row in doubt without further look-ups waits for a person, in every report', async (t) => {
  const db = await testLedger(t);
  const doubt = (rowNo: number, next_action_at: number | null) => ({
    row: newRow('B-1', rowNo),
    way: [
      ['send', { attempts: 1, first_sent_at: startMs }],
      ['doubt', { next_action_at, failure_reason: next_action_at === null ? 'A person must decide: why.' : null }],
    ] as Step[],
  });
  await writeBatch(db, newBatch('B-1'), [doubt(1, startMs + 60_000), doubt(2, null)], null);
  const summary = await batchSummary(db, 'B-1');
  assert.equal(summary.in_doubt.left_to_person, 1);
  const isSaid = (inDoubt: number, left_to_person: number, words: RegExp) => {
    const rows = { ...summary.rows, by_status: { ...summary.rows.by_status, in_doubt: inDoubt } };
    const { details } = verdictOf({
      ...summary,
      rows,
      in_doubt: { ...summary.in_doubt, rows: inDoubt, left_to_person },
    });
    assert.match(details.join(' '), words);
    if (left_to_person === inDoubt) assert.match(details.join(' '), /Nothing is being sent/);
  };
  isSaid(
    2,
    0,
    /^The batch is not finished: not every row has ended\. 2 rows are in doubt \(KES 201\.00\): .* They are looked up again while airbatch works on the batch \("airbatch resume B-1", or "airbatch serve"\)\.$/,
  );
  isSaid(2, 1, /2 rows are in doubt .* A person must decide on 1; the other is looked up again while .* serve"\)\.$/);
  isSaid(3, 1, /3 rows are in doubt .* A person must decide on 1; the others are looked up again while .* serve"\)\.$/);
  isSaid(2, 2, /2 rows are in doubt .* A person must decide: looking them up gave no answer\.$/);
  isSaid(1, 1, /1 row is in doubt .* A person must decide: looking it up gave no answer\.$/);
  for (const [reason, words] of [
    ['by_person', 'They are looked up again while airbatch works on the batch.'],
    ['service_changed', 'They are looked up once the batch is resumed.'],
  ] as const) {
    const in_doubt = { ...summary.in_doubt, left_to_person: 0 };
    const { details } = verdictOf({ ...summary, status: 'paused', pause: { reason, detail: null }, in_doubt });
    assert.ok(
      details.some((sentence) => sentence.endsWith(words)),
      details.join(' '),
    );
  }
  const { dir } = await writeReports(db, 'B-1', folderOf(t));
  const page = await readFile(join(dir, 'report.html'), 'utf8');
  assert.match(
    page,
    /A person must decide: why\.<\/div><\/td><td><div>Ask the service or the recipient, then &quot;airbatch resolve&quot;/,
  );
  assert.equal(page.match(/airbatch resolve/g)?.length, 1);
});

test('rows in doubt that buy a product have no sum', async (t) => {
  const db = await testLedger(t);
  const row = newRow('B-1', 1, { amount: null, currency: null, product_id: 'p-1' });
  const way: Step[] = [
    ['send', { attempts: 1, first_sent_at: startMs }],
    ['doubt', { next_action_at: null }],
  ];
  await writeBatch(db, newBatch('B-1'), [{ row, way }], null);
  const { details } = verdictOf(await batchSummary(db, 'B-1'));
  assert.ok(details.some((sentence) => sentence.startsWith('1 row is in doubt: it is not known whether it was paid.')));
});

test('no report says that the service has a row that was being sent', async (t) => {
  const db = await testLedger(t);
  const way: Step[] = [['send', { attempts: 1, first_sent_at: startMs }]];
  await writeBatch(db, newBatch('B-1'), [{ row: newRow('B-1', 1), way }], null);
  assert.deepEqual(verdictOf(await batchSummary(db, 'B-1')).details.slice(1), [
    '1 row was being sent when this report was written; its result is not known yet.',
  ]);
});

test('an overdue row is shown separately from others, in every report', async (t) => {
  const db = await testLedger(t);
  const accepted = (rowNo: number, failure_code: string | null) => ({
    row: newRow('B-1', rowNo),
    way: [
      ['send', { attempts: 1, first_sent_at: startMs + rowNo }],
      ['accept', { topup_id: `t-${rowNo}`, failure_code, failure_reason: failure_code && 'It has it for too long.' }],
    ] as Step[],
  });
  const rows = [accepted(1, null), accepted(2, 'overdue'), accepted(3, 'overdue')];
  await writeBatch(db, newBatch('B-1'), rows, null);
  const summary = await batchSummary(db, 'B-1');
  assert.deepEqual(summary.overdue, { rows: 2, requested: { KES: '201' }, oldest_sent_at: '2026-11-01T08:00:00.002Z' });
  assert.deepEqual(verdictOf(summary).details.slice(1), [
    '2 rows are with the service for longer than it promises (KES 201.00). Ask the service whether they were paid; a person may decide ("airbatch resolve").',
    '1 row is with the service, not yet delivered.',
  ]);
  const { dir } = await writeReports(db, 'B-1', folderOf(t));
  const page = await readFile(join(dir, 'report.html'), 'utf8');
  const line =
    /It has it for too long\.<\/div><\/td><td><div>Ask the service or the recipient, then &quot;airbatch resolve/g;
  assert.equal(page.match(line)?.length, 2);
  // Whoever feeds that file in again would pay them once more.
  assert.equal((await readFile(join(dir, 'failed.csv'), 'utf8')).trim().split('\n').length, 1);
});

test('refunds after completion are shown with the rows, which stay completed', async (t) => {
  const db = await testLedger(t);
  await writeBatch(
    db,
    newBatch('B-1'),
    [1, 2, 3].map((rowNo) => ({ row: newRow('B-1', rowNo), way: completedWay(rowNo) })),
  );
  const before = await batchSummary(db, 'B-1');
  assert.deepEqual(before.refunded, { rows: 0, amounts: {} });
  await refundRows(db, [
    [1, '0.8'],
    [3, null],
  ]);
  const summary = await batchSummary(db, 'B-1');
  assert.deepEqual(summary.refunded, { rows: 2, amounts: { USD: '0.8' } });
  assert.deepEqual(summary.rows, before.rows);
  assert.deepEqual(summary.charged, before.charged);
  const { tone, details } = verdictOf(summary);
  assert.equal(tone, 'attention');
  assert.match(details.join(), /2 rows were paid, and the service refunded them/);
  const { dir } = await writeReports(db, 'B-1', folderOf(t));
  const ends = (await readFile(join(dir, 'results.csv'), 'utf8')).trimEnd().split('\n');
  assert.deepEqual(
    ends.map((line) => line.split(',').slice(-3).join()),
    [
      'refunded_at,refund_amount,refund_currency',
      '2026-11-01T08:00:00.000Z,0.8,USD',
      ',,',
      '2026-11-01T08:00:00.000Z,,',
    ],
  );
});

test('summary.json has the result of batchSummary and its version, and distinguishes a sandbox from a service', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db, 'B-1', { service: 'embedded sandbox' });
  const { dir } = await writeReports(db, 'B-1', folderOf(t));
  const summary = await batchSummary(db, 'B-1');
  assert.deepEqual(JSON.parse(await readFile(join(dir, 'summary.json'), 'utf8')), {
    ...summary,
    version: null,
    as_of: '2026-11-01T08:01:00.000Z',
    previous: null,
    difference: null,
    difference_unknown: null,
  });
  assert.equal(summary.sandbox, true);
  assert.equal(summary.times.duration_ms, 60_000);
});

test('a failed row that was charged is not called unpaid', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const summary = await batchSummary(db, 'B-1');
  const about = (failed: Record<string, string>) => {
    const by_status = { ...summary.charged.by_status, failed };
    return verdictOf({ ...summary, charged: { ...summary.charged, by_status } }).details.join(' ');
  };
  assert.match(about({ KES: '0' }), /1 row failed: nothing was paid for it/);
  assert.match(
    about({ KES: '100', USD: '0' }),
    /1 row failed\. failed\.csv has it\. KES 100\.00 was charged for rows that failed/,
  );
  assert.doesNotMatch(about({ KES: '100' }), /nothing was paid/);
});

test('charges of earlier payments of retried rows are counted for no row, and explained', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const before = await batchSummary(db, 'B-1');
  assert.deepEqual(before.charged.earlier, {});
  await saveCost(db, { batch_id: 'B-1', currency: 'USD', cost: addAmounts(before.charged.total.USD ?? '0', '1.25') });
  const summary = await batchSummary(db, 'B-1');
  assert.deepEqual(summary.charged.earlier, { USD: '1.25' });
  assert.equal(summary.charged.total.USD, addAmounts(before.charged.total.USD ?? '0', '1.25'));
  const chargedBy = ({ balance }: typeof summary) =>
    balance.explanation.find(({ currency }) => currency === 'USD')?.charged_by_this_batch;
  assert.equal(chargedBy(summary), addAmounts(chargedBy(before) ?? '0', '1.25'));
  assert.match(
    verdictOf(summary).details.join(),
    /USD 1\.25 was charged for earlier payments of rows that were sent again/,
  );
  const { dir } = await writeReports(db, 'B-1', folderOf(t));
  assert.match(await readFile(join(dir, 'report.html'), 'utf8'), /USD 1\.25 of it for earlier payments/);
});

test('a batch that cannot continue by itself is not called running', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const summary = await batchSummary(db, 'B-1');
  const words = (counts: Partial<typeof summary.rows.by_status>) => {
    const none = Object.fromEntries(rowStates.map((state) => [state, 0])) as typeof summary.rows.by_status;
    const rows = { ...summary.rows, by_status: { ...none, ...counts } };
    const { headline, details } = verdictOf({ ...summary, status: 'running', rows });
    return `${headline} ${details[0]}`;
  };
  assert.match(words({ skipped: 10 }), /^All 10 rows were skipped: .* Every row of the file has its final outcome/);
  assert.match(
    words({ held: 10 }),
    /^None of 10 rows has been paid yet\. Nothing is being sent: it is waiting for a person/,
  );
  for (const state of ['sending', 'accepted', 'in_doubt'] as const)
    assert.match(
      words({ held: 9, [state]: 1 }),
      /^None of 10 rows is known to be paid yet\. .*not every row has ended/,
    );
});

test('skipped rows are listed by cause, with a count', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const summary = await batchSummary(db, 'B-1');
  const about = (skipped: number, problems: Record<string, number>) => {
    const rows = { ...summary.rows, by_status: { ...summary.rows.by_status, skipped } };
    return verdictOf({ ...summary, rows, problems }).details.find((detail) => detail.includes('skipped'));
  };
  const end = 'results.csv has the reason of each.';
  assert.equal(about(1, { ALREADY_PAID: 1 }), `1 row was skipped: it was paid by an earlier batch of this run. ${end}`);
  assert.equal(
    about(2, { ALREADY_SENT: 2 }),
    `2 rows were skipped: they were still in progress in an earlier batch of this run. ${end}`,
  );
  assert.equal(about(2, { SKIPPED_BY_PERSON: 2 }), `2 rows were skipped: by the decision of a person. ${end}`);
  assert.equal(
    about(6, { ALREADY_PAID: 1, ALREADY_SENT: 2, SKIPPED_BY_PERSON: 3 }),
    `6 rows were skipped: 1 was paid by an earlier batch of this run, 2 were still in progress in an earlier batch of this run, 3 by the decision of a person. ${end}`,
  );
  assert.equal(about(0, {}), undefined);
});

test('an unfinished retry makes no statement about the wallets, which were read before its charges', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  assert.equal((await batchSummary(db, 'B-1')).balance.explained, true);
  const again = { attempts: 1, first_sent_at: startMs + 90_000 };
  const accepted = { topup_id: 'topup-8~2', cost: '0.80', cost_currency: 'USD', accepted_at: startMs + 91_000 };
  await inUnit(db, { clock: clockOf(db), actor: 'engine' }, async (unit) => {
    const steps: Step[] = [
      ['retry', nextGeneration({ generation: 1 }, null)],
      ['send', again],
      ['accept', accepted],
    ];
    for (const [event, fields = {}] of steps)
      await unit.changeRow((await findRow(unit.tx, 'B-1', 8)) as RowRecord, event, fields, {});
    const batch = (await findBatch(unit.tx, 'B-1')) as BatchRecord;
    await unit.changeBatch(batch, 'reopen', { completed_at: null }, {});
  });
  const summary = await batchSummary(db, 'B-1');
  const { wallets, explanation, explained, after_read_at } = summary.balance;
  assert.deepEqual([explanation, explained, after_read_at], [[], null, null]);
  assert.deepEqual(
    wallets.map(({ before, after, difference }) => [before, after, difference]),
    [['100', null, null]],
  );
  assert.doesNotMatch(verdictOf(summary).details.join(' '), /wallet/i);
});

test('skipped rows are listed separately from paid ones: they may have been paid before', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const summary = await batchSummary(db, 'B-1');
  const headline = (total: number, counts: Partial<typeof summary.rows.by_status>) => {
    const none = Object.fromEntries(rowStates.map((state) => [state, 0])) as typeof summary.rows.by_status;
    const rows = { ...summary.rows, total, by_status: { ...none, ...counts } };
    const requested = { ...summary.requested, completed: counts.completed ? { KES: '20' } : {} };
    return verdictOf({ ...summary, rows, requested }).headline;
  };
  assert.equal(headline(500, { skipped: 500 }), 'All 500 rows were skipped: this batch has paid none of them.');
  assert.equal(headline(1, { skipped: 1 }), 'The row was skipped: this batch has not paid it.');
  assert.equal(headline(3, { completed: 2, skipped: 1 }), '2 of 3 rows were paid: KES 20.00; 1 was skipped.');
  assert.equal(headline(3, { failed: 1, skipped: 2 }), 'None of 3 rows was paid; 2 were skipped.');
  assert.equal(headline(3, { failed: 3 }), 'None of 3 rows was paid.');
});

test('the paid total mentions products, which no sum contains', async (t) => {
  const db = await testLedger(t);
  const product = { amount: null, currency: null, product_id: '102' };
  await writeBatch(db, newBatch('B-1'), [
    { row: newRow('B-1', 1), way: completedWay(1) },
    { row: newRow('B-1', 2, product), way: completedWay(2) },
    { row: newRow('B-1', 3, product), way: failedWay(3) },
  ]);
  const summary = await batchSummary(db, 'B-1');
  assert.deepEqual([summary.rows.with_product, summary.rows.with_product_completed], [2, 1]);
  assert.equal(verdictOf(summary).headline, '2 of 3 rows were paid: KES 100.50, and 1 product.');
  const { dir } = await writeReports(db, 'B-1', folderOf(t));
  const text = await readFile(join(dir, 'report.html'), 'utf8');
  assert.ok(text.includes('<b>KES 100.50</b><b>1 product</b><span>paid out'));
});

test('a deposit into the wallets is not called a loss', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const summary = await batchSummary(db, 'B-1');
  const about = (unexplained: string, refunded = summary.refunded) => {
    const none = {
      difference: '0',
      charged_by_this_batch: '5.6',
      charged_late: '0',
      charged_by_other_batches: '0',
      came_back: '0',
    };
    const explanation = [{ currency: 'USD', ...none, unexplained }];
    return verdictOf({
      ...summary,
      refunded,
      balance: { ...summary.balance, explanation, explained: false },
    }).details.join(' ');
  };
  assert.match(
    about('0.5'),
    /USD 0\.50 more left the wallets than the known charges\. Rows of other batches that were in doubt then may explain it: .* airbatch report B-1 compares again\. .* airbatch reconcile --batch B-1/,
  );
  assert.match(
    about('-0.5'),
    /USD 0\.50 less left the wallets than was charged: airbatch knows of no deposit or refund of that amount\. To look for a refund: airbatch reconcile --batch B-1$/,
  );
  assert.match(
    about('-0.5', { rows: 1, amounts: { USD: '0.50' } }),
    /USD 0\.50 less left the wallets than was charged: it is the refund of paid rows\./,
  );
});

test('rows of one code with several reasons are not all given the first one', async (t) => {
  const db = await testLedger(t);
  const reasons = ['declined', 'delivered in part', 'declined', 'blocked'];
  await writeBatch(
    db,
    newBatch('B-1'),
    reasons.map((reason, at) => ({ row: newRow('B-1', at + 1), way: failedWay(at + 1, 'REFUSED', reason) })),
  );
  const { failures } = await batchSummary(db, 'B-1');
  assert.deepEqual(failures, { REFUSED: { rows: 4, reason: 'declined', other_reasons: 2 } });
  const text = 'declined (2 of them have another reason, in results.csv)';
  assert.equal(failureText(failures.REFUSED as Failures), text);
  const { dir } = await writeReports(db, 'B-1', folderOf(t));
  assert.ok((await readFile(join(dir, 'report.html'), 'utf8')).includes(text));
});

test('a paused batch shows the given reason unchanged, also that of a person', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const summary = await batchSummary(db, 'B-1');
  const said = (reason: PauseReason, detail: string | null) =>
    verdictOf({ ...summary, status: 'paused', pause: { reason, detail } }).details[0];
  assert.equal(
    said('by_person', 'the wrong month'),
    'The batch is paused (by a person: the wrong month). Nothing more is sent until it is resumed; what was sent is followed.',
  );
  assert.match(
    said('guard_tripped', '30 of the last 50 rows failed.') ?? '',
    /^The batch is paused \(a safety limit was reached: 30 of the last 50 rows failed\)\. /,
  );
  assert.match(said('insufficient_balance', null) ?? '', /^The batch is paused \(balance too low\)\. /);
});

test('rows for a product are counted next to the sums, unless nothing was requested for them', async (t) => {
  const db = await testLedger(t);
  const product = { amount: null, currency: null, product_id: '102' };
  await writeBatch(db, newBatch('B-1'), [
    { row: newRow('B-1', 1), way: completedWay(1) },
    { row: newRow('B-1', 2, product), way: completedWay(2) },
    { row: newRow('B-1', 3, { ...product, status: 'held' }), way: [['skip', {}]] },
    { row: newRow('B-1', 4, { ...product, status: 'invalid' }) },
  ]);
  const { rows, requested } = await batchSummary(db, 'B-1');
  assert.deepEqual([requested.valid, rows.with_product], [{ KES: '100.5' }, 1]);
});

test('rows whose networks could not be looked up are reported in one line, and not as invalid', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const summary = await batchSummary(db, 'B-1');
  const detailsOf = (invalid: number, of: number) => {
    const rows = { ...summary.rows, by_status: { ...summary.rows.by_status, failed: 0, skipped: 0, invalid } };
    return verdictOf({ ...summary, rows, problems: { NETWORK_UNRESOLVED: of } }).details;
  };
  const said =
    /^3,000 rows were not sent: their networks are names, .* did not say which networks those are\. Send the same file again later\.$/;
  assert.match(detailsOf(3_000, 3_000)[0] ?? '', said);
  assert.doesNotMatch(detailsOf(3_000, 3_000).join(), /invalid/);
  assert.match(detailsOf(3_002, 3_000).join(), /2 rows were invalid and not sent/);
});

test('the reason of a pause is shown once, with what to do', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const detail = 'INSUFFICIENT_BALANCE: The wallet is empty.';
  await setPause(db, 'insufficient_balance', { batchId: 'B-1', detail });
  const summary = await batchSummary(db, 'B-1');
  assert.deepEqual(summary.pause, { reason: 'insufficient_balance', detail: 'The wallet is empty.' });
  const said = 'The batch is paused (balance too low: The wallet is empty). Fund the account, then resume.';
  assert.equal(verdictOf(summary).details[0], said);
});
