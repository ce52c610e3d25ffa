import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readXlsx } from 'hucre/xlsx';
import { balanceEventData } from '../../../src/engine/plan/known-balance.ts';
import type { Balance } from '../../../src/gateway/contract/gateway.ts';
import type { EventData } from '../../../src/ledger/audit/events.ts';
import { type BatchRecord, findBatch } from '../../../src/ledger/batches/batches.ts';
import { writeRefund } from '../../../src/ledger/rows/refunds.ts';
import { findRow, type RowRecord } from '../../../src/ledger/rows/rows.ts';
import { inUnit } from '../../../src/ledger/unit-of-work.ts';
import { writeReports } from '../../../src/reports/reports.ts';
import { batchSummary } from '../../../src/reports/summary/summary.ts';
import { openSigningKey } from '../../../src/reports/versions/signing-key.ts';
import { verifyReports } from '../../../src/verify/verify.ts';
import {
  balanceJson,
  completedWay,
  newBatch,
  newRow,
  paidAgain,
  signedBy,
  startMs,
  testClock,
  testLedger,
  writeBatch,
} from '../../reports/fixture.ts';
import { folderOf } from '../../support/folder.ts';
import { type Pack, signAnew } from '../pack.ts';

const minute = 60_000;
const gone = (rowNo: number, cost = '0'): EventData => ({
  why: 'x',
  topup_id: `topup-${rowNo}`,
  cost,
  cost_currency: 'USD',
});
const refund = (topup_id: string | null, amount: string | null, refunded_at = startMs + minute): EventData => ({
  topup_id,
  amount,
  currency: amount === null ? null : 'USD',
  status: 'completed',
  refunded_at,
});

type Message = readonly [rowNo: number, kind: 'row.refund' | 'row.changed_late', data: EventData];

/**
 * Reports of a batch of five rows, three of which were paid again, and of which the service said this before and after
 * it ended.
 */
async function reports(
  t: TestContext,
  { before, since = [] }: { before: readonly Message[]; since?: readonly Message[] },
) {
  const db = await testLedger(t);
  const rows = [1, 2, 3, 4, 5].map((rowNo) => ({
    row: newRow('B-1', rowNo),
    way: rowNo < 4 ? paidAgain(rowNo) : completedWay(rowNo),
  }));
  // All but what came back of eight payments of 0.80 each.
  await writeBatch(
    db,
    newBatch('B-1', { balance_before: balanceJson({ 'USD-global': '100' }, startMs - 500) }),
    rows,
    null,
  );
  const clock = testClock();
  const note = (words: readonly Message[]) =>
    inUnit(db, { clock, actor: 'engine' }, async (unit) => {
      for (const [rowNo, kind, data] of words) {
        await unit.append('B-1', kind, data, rowNo);
        const row = (await findRow(unit.tx, 'B-1', rowNo)) as RowRecord;
        if (kind !== 'row.refund' || row.topup_id !== data.topup_id || row.refunded_at !== null) continue;
        const { refunded_at, amount, currency } = data as {
          refunded_at: number;
          amount: string | null;
          currency: string | null;
        };
        await writeRefund(unit.tx, row, { refunded_at, refund_amount: amount, refund_currency: currency });
      }
    });
  clock.set(startMs + minute);
  await note(before);
  clock.set(startMs + 2 * minute);
  const stored = balanceJson({ 'USD-global': '95.8' }, startMs + 2 * minute - 1);
  await inUnit(db, { clock, actor: 'engine' }, async (unit) => {
    const batch = (await findBatch(unit.tx, 'B-1')) as BatchRecord;
    const end = { completed_at: unit.at, balance_after: stored };
    await unit.changeBatch(batch, 'complete', end, balanceEventData(JSON.parse(stored) as Balance));
  });
  clock.set(startMs + 60 * minute);
  await note(since);
  const folder = folderOf(t);
  const key = await openSigningKey(join(folder, 'key.pem'));
  const { dir } = await writeReports(db, 'B-1', folder, signedBy(db, key));
  const messages = async () => (await verifyReports(dir)).findings.map(({ message }) => message);
  const { charged, balance } = await batchSummary(db, 'B-1');
  return { dir, key, charged, balance, messages };
}

const told: readonly Message[] = [
  [1, 'row.changed_late', gone(1)],
  [2, 'row.refund', refund('topup-2', '0.30')],
  // The same money, told twice; and more than was charged.
  [2, 'row.changed_late', gone(2, '0.50')],
  [3, 'row.refund', refund('topup-3', '9')],
  [3, 'row.refund', refund('topup-3', null)],
  [4, 'row.refund', refund('topup-4', '0.30')],
];

test('refunded charges of earlier payments are a part of their own in the explanation of the wallets, proven by the chain', async (t) => {
  const { dir, charged, balance, messages } = await reports(t, { before: told });
  assert.deepEqual([charged.total, charged.earlier], [{ USD: '6.4' }, { USD: '2.4' }]);
  assert.deepEqual(charged.earlier_came_back, { USD: '1.9' });
  const [explanation] = balance.explanation;
  assert.deepEqual(explanation, {
    currency: 'USD',
    difference: '4.2',
    charged_by_this_batch: '6.4',
    charged_late: '0',
    charged_by_other_batches: '0',
    came_back: '2.2',
    unexplained: '0',
  });
  assert.equal(balance.explained, true);
  assert.deepEqual(await messages(), []);
  const page = (await readFile(join(dir, 'report.html'), 'utf8')).replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  assert.match(page, /− USD 2\.20 of these rows.{1,6} charges came back \+ USD 0\.00 unexplained/);
  assert.match(
    page,
    /USD 2\.40 of it for earlier payments of rows that were sent again, of which USD 1\.90 came back\./,
  );
  assert.match(page, /names them\)\. The service says that USD 1\.90 of it was refunded\./);
  const { sheets } = await readXlsx(await readFile(join(dir, 'results.xlsx')));
  const rows = sheets[0]?.rows ?? [];
  const heading = rows.findIndex((row) => row[0] === 'Left the wallets');
  assert.deepEqual(rows.slice(heading, heading + 2), [
    [
      'Left the wallets',
      'Charged by this batch',
      'Charged late',
      'By other batches',
      'Came back',
      'Unexplained',
      'Currency',
    ],
    [4.2, 6.4, 0, 0, 2.2, 0, 'USD'],
  ]);
});

test('a refund after the wallets were read, or without an amount, explains nothing of them', async (t) => {
  const since: Message[] = [
    [1, 'row.changed_late', gone(1)],
    [5, 'row.refund', refund('topup-5', '0.80', startMs + 59 * minute)],
    // The service says of this one that it was before.
    [3, 'row.refund', refund('topup-3', '0.80')],
  ];
  const { charged, balance, messages } = await reports(t, {
    before: [[2, 'row.refund', refund('topup-2', null)]],
    since,
  });
  assert.deepEqual(charged.earlier_came_back, { USD: '1.6' });
  const [explanation] = balance.explanation;
  assert.deepEqual([explanation?.came_back, explanation?.unexplained], ['0.8', '-1.4']);
  assert.deepEqual(await messages(), []);
});

test('a refund of an earlier payment does not count for the later one', async (t) => {
  const { balance, messages } = await reports(t, { before: [], since: [[1, 'row.refund', refund('topup-1', '0.80')]] });
  assert.equal(balance.explanation[0]?.came_back, '0.8');
  assert.deepEqual(await messages(), []);
});

const another = 'has another sum of USD';
for (const [what, change, found] of [
  [
    'more that came back for earlier payments',
    { '"earlier_came_back": {\n      "USD": "1.9"': '"earlier_came_back": {\n      "USD": "2.4"' },
    [`${another} refunded for earlier payments than the audit chain.`],
  ],
  [
    'what came back called unexplained',
    {
      '"came_back": "2.2"': '"came_back": "0"',
      '"unexplained": "0"': '"unexplained": "-2.2"',
      '"explained": true': '"explained": false',
    },
    [`${another} refunded before the wallets were read than the audit chain.`],
  ],
  [
    'what came back taken away',
    {
      '"came_back": "2.2",\n        ': '',
      '"unexplained": "0"': '"unexplained": "-2.2"',
      '"explained": true': '"explained": false',
    },
    [`${another} refunded before the wallets were read than the audit chain.`],
  ],
  [
    'more that came back, to hide what another took',
    {
      '"came_back": "2.2"': '"came_back": "1.2"',
      '"charged_by_other_batches": "0"': '"charged_by_other_batches": "-1"',
    },
    [`${another} refunded before the wallets were read than the audit chain.`],
  ],
  [
    'more charged for earlier payments',
    {
      '"earlier": {\n      "USD": "2.4"': '"earlier": {\n      "USD": "3.4"',
      '"total": {\n      "USD": "6.4"': '"total": {\n      "USD": "7.4"',
      '"charged_by_this_batch": "6.4"': '"charged_by_this_batch": "7.4"',
      '"unexplained": "0"': '"unexplained": "-1"',
      '"explained": true': '"explained": false',
    },
    [`${another} charged for earlier payments than the audit chain.`],
  ],
  [
    'another time at which the wallets were read',
    { '"after_read_at": "2026-11-01T08:01:59.999Z"': '"after_read_at": "2026-11-01T09:30:00.000Z"' },
    [
      'has 2026-11-01T09:30:00.000Z as when the balance after it was read; the audit chain says 2026-11-01T08:01:59.999Z.',
    ],
  ],
] as const)
  test(`${what} is found, even if signed with the right key`, async (t) => {
    const { dir, key, messages } = await reports(t, { before: told });
    const was = await readFile(join(dir, 'summary.json'), 'utf8');
    const is = Object.entries(change).reduce((text, [from, to]) => {
      assert.equal(text.split(from).length, 2, from);
      return text.replace(from, to);
    }, was);
    const files = new Map([['manifest.json', await readFile(join(dir, 'manifest.json'))]]);
    for (const [name, content] of signAnew({ key, files } as unknown as Pack, 'summary.json', Buffer.from(is)))
      await writeFile(join(dir, name), content);
    assert.deepEqual(await messages(), found);
  });
