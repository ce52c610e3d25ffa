import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { resolveDoubt } from '../../../src/engine/decisions/resolve.ts';
import type { ReadProblem, ServicePayment } from '../../../src/gateway/contract/gateway.ts';
import { lateKinds } from '../../../src/ledger/audit/events.ts';
import { forgetRows } from '../../../src/ledger/batches/forget-rows.ts';
import { openPausesOfAccount } from '../../../src/ledger/batches/pauses.ts';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import type { BoundPayment, ReconciliationRecord } from '../../../src/ledger/reporting/reconciliations.ts';
import { insertRows } from '../../../src/ledger/rows/insert-rows.ts';
import { insertPayments } from '../../../src/ledger/rows/payments.ts';
import { findRow, pageRows } from '../../../src/ledger/rows/rows.ts';
import { reconcile } from '../../../src/reports/reconcile/reconcile.ts';
import type { Bucket } from '../../../src/reports/reconcile/reconcile-buckets.ts';
import { nextOf } from '../../../src/reports/reconcile/reconcile-next.ts';
import type { ReconcileRequest } from '../../../src/reports/reconcile/reconcile-run.ts';
import type { ReconcileDeps } from '../../../src/reports/reconcile/reconcile-source.ts';
import { outcomeOf } from '../../../src/reports/reconcile/reconciliation.ts';
import { openSigningKey } from '../../../src/reports/versions/signing-key.ts';
import { verifyReports } from '../../../src/verify/verify.ts';
import { folderOf } from '../../support/folder.ts';
import { aPayment } from '../../support/ledger.ts';
import { unzipped } from '../../support/unzip.ts';
import { balanceJson, newRow, startMs, testClock, testLedger, writeSampleBatch } from '../fixture.ts';

let ids = 0;
function nextId(): string {
  ids += 1;
  return String(ids).padStart(4, '0');
}

const evidence = { httpStatus: 200, code: 'ok', message: '', requestId: null };

/** What the service has of the sample batch when all is well: seven completed and one failed payment. */
function paymentAtService(rowNo: number, changes: Partial<ServicePayment> = {}): ServicePayment {
  const failed = rowNo === 8;
  return {
    topupId: `topup-${rowNo}`,
    serviceStatus: failed ? 'failed' : 'completed',
    state: failed ? 'failed' : 'completed',
    unknownStatus: false,
    reference: `payroll-2026-11/R-${rowNo}`,
    phoneNumber: `+2547120000${String(rowNo).padStart(2, '0')}`,
    amount: { value: '100.5', currency: 'KES' },
    cost: { value: failed ? '0' : '0.8', currency: 'USD' },
    productId: null,
    providerReference: null,
    failureCode: null,
    failureReason: null,
    createdAt: startMs + rowNo * 1_000 + 200,
    completedAt: null,
    full: false,
    ...changes,
  };
}

const allAtService = () => [1, 2, 3, 4, 5, 6, 7, 8].map((rowNo) => paymentAtService(rowNo));

/** A service that has exactly these payments, in pages of two. */
function serviceWith(
  payments: ServicePayment[],
  options: { listed?: ServicePayment[]; read?: ServicePayment[]; hasList?: boolean } = {},
): ReconcileDeps['gateway'] {
  const { listed = payments, read = payments, hasList = true } = options;
  return {
    read: async ({ topupId }) => {
      const found = read.filter((payment) => payment.topupId === topupId);
      return found.length > 0 ? { kind: 'found', payments: found, evidence } : { kind: 'not_found', evidence };
    },
    list: hasList
      ? async ({ page, oldestFirst }) => {
          assert.equal(oldestFirst, true);
          const part = listed.slice((page - 1) * 2, page * 2);
          return {
            kind: 'page',
            payments: part,
            unreadable: [],
            page,
            hasNext: page * 2 < listed.length,
            total: listed.length,
          };
        }
      : null,
    lookup: async (reference) => {
      const found = payments.filter((payment) => payment.reference === reference);
      return found.length > 0 ? { kind: 'found', payments: found, evidence } : { kind: 'not_found', evidence };
    },
    balance: async () => assert.fail('the time that is compared is over'),
  };
}

async function run(
  t: TestContext,
  gateway: ReconcileDeps['gateway'],
  request: Partial<ReconcileRequest> = {},
  ready: Database | null = null,
  unanswered: ReconcileDeps['unanswered'] = () => undefined,
) {
  const db = ready ?? (await testLedger(t));
  if (!ready) await writeSampleBatch(db);
  const clock = testClock();
  clock.set(startMs + 86_400_000);
  const deps = {
    gateway,
    clock,
    random: { fraction: () => 0.5, hex: () => nextId() },
    admit: <Answer>(ask: () => Promise<Answer>) => ask(),
    noteThrottled: async (ms: number) => void clock.slept.push(ms),
    refused: ({ message }: { message: string }) => new Error(message),
    unanswered,
    key: await openSigningKey(join(folderOf(t), 'key.pem')),
  };
  const period = { account: 'main', fromMs: startMs - 3_600_000, toMs: startMs + 3_600_000 };
  const { dir, files, reconciliation } = await reconcile(db, deps, { ...period, ...request }, folderOf(t));
  const items = parse(await readFile(join(dir, 'reconciliation.csv')), { columns: true }) as Record<string, string>[];
  const odd = items
    .filter(({ bucket }) => bucket !== 'matched' && bucket !== 'no_payment')
    .map(({ bucket, reference, topup_id }) => [bucket, reference, topup_id]);
  return { db, dir, files, reconciliation, items, odd, slept: clock.slept };
}

test('if ledger, service and wallets agree, every payment is matched and nothing is open', async (t) => {
  const { reconciliation, items, files } = await run(t, serviceWith(allAtService()));
  assert.equal(items.length, 8);
  assert.equal(reconciliation.counts.matched, 8);
  assert.equal(reconciliation.open, 0);
  const { charged_by_ledger, charged_by_service } = reconciliation;
  assert.deepEqual([charged_by_ledger, charged_by_service], [{ USD: '5.6' }, { USD: '5.6' }]);
  assert.deepEqual(reconciliation.wallets?.currencies, [
    { currency: 'USD', left: '5.6', charged: '5.6', unexplained: '0' },
  ]);
  const reports = ['.csv', '.json', '-masked.csv', '.xlsx', '.html', '-masked.xlsx', '-masked.html'];
  assert.deepEqual(files, [...reports.map((end) => `reconciliation${end}`), 'manifest.sig', 'manifest.json']);
});

const differences: [name: string, change: (payments: ServicePayment[]) => ServicePayment[], expected: string[][]][] = [
  [
    'another amount',
    (all) => all.with(0, paymentAtService(1, { amount: { value: '100.51', currency: 'KES' } })),
    [['amount_differs', 'payroll-2026-11/R-1', 'topup-1']],
  ],
  [
    'another number',
    (all) => all.with(0, paymentAtService(1, { phoneNumber: '+254799999999' })),
    [['amount_differs', 'payroll-2026-11/R-1', 'topup-1']],
  ],
  [
    'another cost',
    (all) => all.with(1, paymentAtService(2, { cost: { value: '0.81', currency: 'USD' } })),
    [['cost_differs', 'payroll-2026-11/R-2', 'topup-2']],
  ],
  [
    'still open there',
    (all) => all.with(2, paymentAtService(3, { state: 'open', serviceStatus: 'processing' })),
    [['status_differs', 'payroll-2026-11/R-3', 'topup-3']],
  ],
  [
    'failed after completion',
    (all) =>
      all.with(
        3,
        paymentAtService(4, { state: 'failed', serviceStatus: 'failed', cost: { value: '0', currency: 'USD' } }),
      ),
    [['refunded_later', 'payroll-2026-11/R-4', 'topup-4']],
  ],
  [
    'given back, and still called completed',
    (all) => all.with(3, paymentAtService(4, { cost: { value: '0', currency: 'USD' } })),
    [['refunded_later', 'payroll-2026-11/R-4', 'topup-4']],
  ],
  [
    'completed though failed here',
    (all) => all.with(7, paymentAtService(8, { state: 'completed', serviceStatus: 'completed' })),
    [['status_differs', 'payroll-2026-11/R-8', 'topup-8']],
  ],
  [
    'a second payment of one row',
    (all) => [...all, paymentAtService(5, { topupId: 'again' })],
    [['duplicated', 'payroll-2026-11/R-5', 'again']],
  ],
  [
    'a second payment of one row, which is listed before its own',
    (all) => [paymentAtService(5, { topupId: 'again' }), ...all],
    [
      ['duplicated', 'payroll-2026-11/R-5', 'again'],
      ['duplicated', 'payroll-2026-11/R-5', 'topup-5'],
    ],
  ],
  ['missing there', (all) => all.toSpliced(5, 1), [['ledger_only', 'payroll-2026-11/R-6', 'topup-6']]],
  [
    'another program',
    (all) => [...all, paymentAtService(9, { reference: 'crm-77' })],
    [['service_only_other_program', 'crm-77', 'topup-9']],
  ],
  [
    'no reference',
    (all) => [...all, paymentAtService(9, { reference: null })],
    [['service_only_other_program', '', 'topup-9']],
  ],
  [
    'a row unknown here',
    (all) => [...all, paymentAtService(9, { reference: 'payroll-2026-11/R-77' })],
    [['service_only_unknown', 'payroll-2026-11/R-77', 'topup-9']],
  ],
];

for (const [name, change, expected] of differences) {
  test(`a difference is in exactly one bucket: ${name}`, async (t) => {
    const { odd, reconciliation, items } = await run(t, serviceWith(change(allAtService())));
    assert.deepEqual(odd, expected);
    assert.equal(reconciliation.open, expected.length);
    assert.equal(
      Object.values(reconciliation.counts).reduce((sum, count) => sum + count),
      items.length,
    );
    assert.notEqual(items.find(({ bucket }) => bucket !== 'matched')?.next, '');
  });
}

test('payments of people who were forgotten are compared without their numbers', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  await forgetRows(db, 'B-1', 1, 10);
  const wrong = paymentAtService(2, { amount: { value: '9', currency: 'KES' } });
  const { odd, reconciliation } = await run(t, serviceWith(allAtService().with(1, wrong)), {}, db);
  assert.deepEqual(odd, [['amount_differs', 'payroll-2026-11/R-2', 'topup-2']]);
  assert.equal(reconciliation.counts.matched, 7);
});

const unnamed = (payment: ServicePayment): ServicePayment => ({ ...payment, reference: null });

test('an entry of the list without a reference is assigned to the row that has its id, without a read', async (t) => {
  const all = allAtService();
  const gateway = { ...serviceWith(all, { listed: all.map(unnamed) }), read: async () => assert.fail('nobody asks') };
  const { items, reconciliation, odd } = await run(t, gateway);
  assert.deepEqual([odd, items.length, reconciliation.counts.matched, reconciliation.open], [[], 8, 8, 0]);
  assert.deepEqual(items.map(({ row }) => row).sort(), ['1', '2', '3', '4', '5', '6', '7', '8']);
  assert.equal(reconciliation.wallets?.currencies[0]?.unexplained, '0');
});

test('a difference in an entry without a reference is a difference of its row', async (t) => {
  const all = allAtService().with(0, unnamed(paymentAtService(1, { amount: { value: '9', currency: 'KES' } })));
  const { odd } = await run(t, serviceWith(all), { batchId: 'B-1' });
  assert.deepEqual(odd, [['amount_differs', 'payroll-2026-11/R-1', 'topup-1']]);
});

test('the known second payment of a row is a duplicate even without a reference', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  await db.execute("UPDATE rows SET second_topup_id = 'again' WHERE row_no = 5");
  const again = unnamed(paymentAtService(5, { topupId: 'again' }));
  const { odd } = await run(t, serviceWith([...allAtService(), again]), {}, db);
  assert.deepEqual(odd, [['duplicated', 'payroll-2026-11/R-5', 'again']]);
});

test('an entry without a reference and with an unknown id is read by its id, and counted once', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  await db.execute("UPDATE rows SET status = 'in_doubt', topup_id = NULL, completed_at = NULL WHERE row_no = 6");
  const all = allAtService();
  const gateway = serviceWith(all, { listed: all.with(5, unnamed(paymentAtService(6))) });
  const { items, odd, reconciliation } = await run(t, gateway, {}, db);
  assert.deepEqual(odd, [['status_differs', 'payroll-2026-11/R-6', 'topup-6']]);
  assert.deepEqual([items.length, reconciliation.charged_by_service], [8, { USD: '5.6' }]);
});

test('a second payment of a row adds to what the service has charged, and not to what the ledger has', async (t) => {
  const { reconciliation } = await run(t, serviceWith([...allAtService(), paymentAtService(5, { topupId: 'again' })]));
  const { charged_by_ledger, charged_by_service } = reconciliation;
  assert.deepEqual(charged_by_ledger, { USD: '5.6' });
  assert.ok(Number(charged_by_service.USD) > 5.6);
});

test('the failed payment of an earlier generation is matched even without a reference', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  await db.execute("UPDATE rows SET generation = 2, status = 'ready', topup_id = NULL WHERE row_no = 8");
  const all = allAtService();
  const { odd } = await run(t, serviceWith(all, { listed: all.with(7, unnamed(paymentAtService(8))) }), {}, db);
  assert.deepEqual(odd, []);
});

test('an entry of another account with the id of our row is not assigned to it', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const { odd } = await run(t, serviceWith([unnamed(paymentAtService(1))]), { account: 'promo' }, db);
  assert.deepEqual(odd, [['service_only_other_program', '', 'topup-1']]);
});

test('entries without a reference that are read by id cost a minute of reads at most', async (t) => {
  const strangers = Array.from({ length: 310 }, (_, index) => unnamed(paymentAtService(9, { topupId: `x-${index}` })));
  const gateway = serviceWith([...allAtService(), ...strangers]);
  let reads = 0;
  const read: typeof gateway.read = async (payment) => {
    reads += payment.topupId.startsWith('x-') ? 1 : 0;
    return gateway.read(payment);
  };
  const { reconciliation } = await run(t, { ...gateway, read });
  assert.deepEqual([reads, reconciliation.counts.service_only_other_program], [300, 310]);
});

test('a payment that the list does not show yet is read by itself before it is called missing', async (t) => {
  const { reconciliation } = await run(t, serviceWith(allAtService(), { listed: allAtService().slice(0, 6) }));
  assert.deepEqual([reconciliation.counts.matched, reconciliation.open], [8, 0]);
});

test('a payment that the service refused at once is listed separately, is not open, and is not counted as compared', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  await db.execute("UPDATE rows SET topup_id = NULL WHERE status = 'failed'");
  for (const hasList of [true, false]) {
    const { reconciliation, odd, items, dir } = await run(
      t,
      serviceWith(allAtService().slice(0, 7), { hasList }),
      {},
      db,
    );
    const { matched, no_payment } = reconciliation.counts;
    assert.deepEqual([matched, no_payment, reconciliation.open, odd, items.length], [7, 1, 0, [], 8]);
    const agrees = hasList ? 'everything agrees' : 'ledger and service agree; the wallets were not compared';
    assert.equal(outcomeOf(reconciliation), `7 payments compared: ${agrees}`);
    assert.match(
      await readFile(join(dir, 'reconciliation.html'), 'utf8'),
      /All 7 payments agree: nothing is open\.[\s\S]*no payment<\/td><td class="n" data-name="Items">1</,
    );
  }
});

test('a service without a list (V1) is asked payment by payment', async (t) => {
  const { reconciliation } = await run(t, serviceWith(allAtService().slice(1), { hasList: false }));
  assert.deepEqual([reconciliation.counts.matched, reconciliation.counts.ledger_only], [7, 1]);
  assert.equal(reconciliation.wallets, null);
});

test('a payment on two pages of the list is counted once', async (t) => {
  const all = allAtService();
  const { items, reconciliation } = await run(t, serviceWith(all, { listed: [...all.slice(0, 2), ...all.slice(1)] }));
  assert.deepEqual([items.length, reconciliation.open], [8, 0]);
});

test('an unreadable entry of the list is open, also alone on a page, and later entries are compared', async (t) => {
  const of = (topupId: string, reference: string | null) => {
    return { topupId, reference, phoneNumber: null, createdAt: startMs + 500, hasFailed: false };
  };
  const broken = [of('topup-1', 'payroll-2026-11/R-1'), of('entry-1', null)];
  const gateway = serviceWith(allAtService().slice(1));
  const { list } = gateway;
  const { odd, reconciliation } = await run(t, {
    ...gateway,
    lookup: async () => ({ kind: 'unavailable', evidence }),
    list: async (query) => {
      if (query.page > 1) return list?.({ ...query, page: query.page - 1 }) ?? assert.fail();
      return { kind: 'page', payments: [], unreadable: broken, page: 1, hasNext: true, total: 9 };
    },
  });
  assert.deepEqual(odd, [
    ['unreadable', 'payroll-2026-11/R-1', 'topup-1'],
    ['unreadable', '', 'entry-1'],
  ]);
  assert.deepEqual([reconciliation.counts.matched, reconciliation.open], [7, 2]);
});

test('payments of another program are shown as charged in the wallets, and a loss without a charge as unexplained', async (t) => {
  const { reconciliation } = await run(
    t,
    serviceWith([...allAtService(), paymentAtService(9, { reference: 'crm-77' })]),
  );
  assert.deepEqual(reconciliation.wallets?.currencies, [
    { currency: 'USD', left: '5.6', charged: '6.4', unexplained: '-0.8' },
  ]);
});

test('for one batch, only its own payments and unknown payments of its run are compared', async (t) => {
  const others = [
    paymentAtService(9, { reference: 'promo/R-1' }),
    paymentAtService(10, { reference: 'payroll-2026-11/R-99' }),
  ];
  const { odd } = await run(t, serviceWith([...allAtService(), ...others]), { batchId: 'B-1' });
  assert.deepEqual(odd, [['service_only_unknown', 'payroll-2026-11/R-99', 'topup-10']]);
});

test('reconciliations are kept, and can be run any number of times', async (t) => {
  const first = await run(t, serviceWith(allAtService().slice(1)));
  const second = await run(t, serviceWith(allAtService()), {}, first.db);
  const kept = await first.db.query<ReconciliationRecord>("SELECT * FROM reconciliations WHERE account = 'main'", []);
  const open = kept.map(({ reconciliation_id, counts }) => [reconciliation_id, JSON.parse(counts).ledger_only]);
  assert.deepEqual(
    new Map(open as [string, number][]),
    new Map([
      [first.reconciliation.reconciliation_id, 1],
      [second.reconciliation.reconciliation_id, 0],
    ]),
  );
  assert.match(
    await readFile(join(first.dir, 'reconciliation.html'), 'utf8'),
    /1 payment of 8 needs a person to look at it\.[\s\S]*<td class="w" data-name="Here"><div>completed</,
  );
});

test('the page writes amounts as all pages do, and leaves out wallets without changes', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  for (const [column, global] of Object.entries({ balance_before: '100', balance_after: '94.4' }))
    await db.execute(`UPDATE batches SET ${column} = ?`, [
      balanceJson({ 'USD-global': global, 'KES-local': '7' }, startMs + (column === 'balance_before' ? -500 : 60_500)),
    ]);
  const { dir } = await run(t, serviceWith(allAtService().slice(1)), {}, db);
  const text = await readFile(join(dir, 'reconciliation.html'), 'utf8');
  assert.match(text, /data-name="Here"><div>completed<\/div><div>KES 100\.50<\/div><div>USD 0\.80<\/div>/);
  assert.match(text, /UTC\. What is not named here has not changed\.<\/p><div class="equation"><div><b>USD 5\.60<\/b>/);
  assert.doesNotMatch(text, /KES 0\.00/);
});

test('a service that does not answer ends the reconciliation with its name, leaves no files, and the retry is announced', async (t) => {
  const gateway = { ...serviceWith([]), list: async () => ({ kind: 'unavailable' as const, evidence }) };
  const told: string[] = [];
  await assert.rejects(
    run(t, gateway, {}, null, ({ code }) => told.push(code)),
    { code: 'SERVICE_UNREACHABLE', hint: 'Check the network and the base URL, then reconcile again.' },
  );
  assert.deepEqual(told, [evidence.code]);
});

describe('a read of the service', () => {
  /** The first looks at the list meet these problems. */
  function troubled(...problems: ReadProblem[]): ReconcileDeps['gateway'] {
    const gateway = serviceWith(allAtService());
    const { list } = gateway;
    assert.ok(list);
    return { ...gateway, list: async (query) => problems.shift() ?? list(query) };
  }
  const unavailable = { kind: 'unavailable', evidence: { ...evidence, message: 'down' } } as const;

  test('that got no answer is repeated with growing delays, and then reported', async (t) => {
    const { reconciliation, slept } = await run(t, troubled(...Array(5).fill(unavailable)));
    assert.equal(reconciliation.counts.matched, 8);
    assert.deepEqual(slept, [2_000, 4_000, 8_000, 16_000, 32_000]);
    await assert.rejects(run(t, troubled(...Array(6).fill(unavailable))), {
      code: 'SERVICE_UNREACHABLE',
      message: /down/,
    });
  });

  test('that is throttled waits as long as asked, however often', async (t) => {
    const wait = { kind: 'throttled', retryAfterMs: 7_000, evidence } as const;
    const { reconciliation, slept } = await run(t, troubled(...Array(8).fill(wait)));
    assert.equal(reconciliation.counts.matched, 8);
    assert.deepEqual(slept, Array(8).fill(7_000));
  });

  test('whose credentials are refused is not repeated', async (t) => {
    const refused = {
      kind: 'account_blocked',
      reason: 'credentials_rejected',
      evidence: { ...evidence, message: 'no such key' },
    } as const;
    await assert.rejects(run(t, troubled(refused)), /no such key/);
  });
});

for (const status of ['held', 'skipped', 'cancelled', 'ready'])
  test(`a row that was refused each time, and is ${status} now, is not a payment`, async (t) => {
    const db = await testLedger(t);
    await writeSampleBatch(db);
    await db.execute(`UPDATE rows SET status = '${status}', topup_id = NULL, completed_at = NULL WHERE row_no = 7`);
    await db.execute('UPDATE payments SET attempts = 2, open_attempts = 0 WHERE row_no = 7');
    const without = serviceWith(allAtService().filter(({ topupId }) => topupId !== 'topup-7'));
    const { reconciliation, odd } = await run(t, without, {}, db);
    assert.deepEqual([odd, reconciliation.counts.no_payment, reconciliation.counts.matched], [[], 1, 7]);
    if (status === 'ready') return;
    // One attempt may have arrived.
    await db.execute('UPDATE payments SET open_attempts = 1 WHERE row_no = 7');
    assert.deepEqual((await run(t, without, {}, db)).odd, [['ledger_only', 'payroll-2026-11/R-7', '']]);
  });

test('a refund that the service shows is recorded once, so that reports explain it', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const back = paymentAtService(4, { cost: { value: '0', currency: 'USD' } });
  for (const _ of ['the first', 'the second']) {
    const { odd } = await run(t, serviceWith(allAtService().with(3, back)), {}, db);
    assert.deepEqual(odd, [['refunded_later', 'payroll-2026-11/R-4', 'topup-4']]);
  }
  const [{ batch_id } = { batch_id: '' }] = await db.query<{ batch_id: string }>('SELECT batch_id FROM batches');
  const row = (await pageRows(db, batch_id, 0, 100)).find(({ row_no }) => row_no === 4);
  assert.deepEqual([row?.status, row?.refund_amount, row?.refund_currency], ['completed', '0.80', 'USD']);
  assert.equal(row?.refunded_at, startMs + 86_400_000);
  const late = await db.query<{ body: string }>(
    "SELECT body FROM events WHERE row_no = 4 AND kind = 'row.changed_late'",
  );
  assert.equal(late.length, 1);
  assert.match(late[0]?.body ?? '', /"cost":"0"/);
});

test('another cost of a paid row is recorded once, as a late change: reports that were written before are old', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const other = paymentAtService(2, { cost: { value: '0.81', currency: 'USD' } });
  for (const _ of ['the first', 'the second']) await run(t, serviceWith(allAtService().with(1, other)), {}, db);
  const events = await db.query<{ kind: string; row_no: number }>(
    `SELECT kind, row_no FROM events WHERE kind IN ('row.late_charge', ${lateKinds.map((kind) => `'${kind}'`).join()}) ORDER BY seq`,
  );
  assert.deepEqual(events, [
    { kind: 'row.late_charge', row_no: 2 },
    { kind: 'row.changed_late', row_no: 2 },
  ]);
});

for (const [what, sql, there, names] of [
  ['another one under its reference', '', paymentAtService(5, { topupId: 'again' }), /row 5 .* by topup-5 and again$/],
  [
    'one of an earlier generation',
    "UPDATE rows SET generation = 2, status = 'completed', topup_id = 'later' WHERE row_no = 8",
    paymentAtService(8, { state: 'completed', serviceStatus: 'completed', cost: { value: '0.8', currency: 'USD' } }),
    /row 8 .* by later and topup-8$/,
  ],
] as const)
  test(`a second payment of a paid row halts the account, and is a payment of its row from then on: ${what}`, async (t) => {
    const db = await testLedger(t);
    await writeSampleBatch(db);
    if (sql !== '') await db.execute(sql);
    const gateway = serviceWith([...allAtService().filter(({ topupId }) => topupId !== there.topupId), there]);
    await run(t, gateway, {}, db);
    const seconds = await db.query<{ second_topup_id: string }>(
      'SELECT second_topup_id FROM rows WHERE second_topup_id IS NOT NULL',
    );
    assert.deepEqual(seconds, [{ second_topup_id: there.topupId }]);
    const [halt, ...more] = await openPausesOfAccount(db, 'main');
    assert.deepEqual([halt?.batch_id, halt?.reason, more], [null, 'service_mismatch', []]);
    assert.match(halt?.detail ?? '', names);
    // A person has looked, and continues.
    await db.execute('UPDATE pauses SET cleared_at = 1');
    await run(t, gateway, {}, db);
    assert.deepEqual(await openPausesOfAccount(db, 'main'), []);
  });

test('an earlier payment that the service has completed counts once the doubt about the next one ends', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  await db.execute(
    "UPDATE rows SET generation = 2, status = 'in_doubt', next_action_at = NULL, topup_id = NULL WHERE row_no = 8",
  );
  const arrived = { state: 'completed', serviceStatus: 'completed', cost: { value: '0.8', currency: 'USD' } } as const;
  await run(t, serviceWith(allAtService().with(7, paymentAtService(8, arrived))), {}, db);
  const mary = { db, clock: testClock(), person: 'mary', through: 'cli' as const };
  await resolveDoubt(mary, 'B-1', 8, { as: 'paid', evidence: 'the recipient said so' });
  const row = await findRow(db, 'B-1', 8);
  assert.deepEqual([row?.status, row?.second_topup_id], ['completed', 'topup-8']);
  assert.equal((await openPausesOfAccount(db, 'main')).length, 1);
});

for (const status of ['ready', 'held'])
  test(`an earlier payment that the service has completed keeps a row that is ${status} by now for a person who is told`, async (t) => {
    const db = await testLedger(t);
    await writeSampleBatch(db);
    await db.execute(
      'UPDATE rows SET generation = 2, status = ?, topup_id = NULL, service_status = NULL WHERE row_no = 8',
      [status],
    );
    const arrived = { state: 'completed', serviceStatus: 'completed' } as const;
    await run(t, serviceWith(allAtService().with(7, paymentAtService(8, arrived))), {}, db);
    const row = await findRow(db, 'B-1', 8);
    assert.deepEqual([row?.status, row?.contradicted], ['held', 'completed']);
    assert.match(row?.problems ?? '', /MAY_BE_PAID.*says completed of that payment \(payroll-2026-11\/R-8\)/);
  });

test('refunds that only a read of the payment shows are found if the wallets do not add up', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  await db.execute(`UPDATE batches SET balance_after = replace(balance_after, '94.4', '95.2')`);
  const back = paymentAtService(4, { cost: { value: '0', currency: 'USD' }, full: true });
  const { odd, reconciliation, items } = await run(
    t,
    serviceWith(allAtService(), { read: allAtService().with(3, back) }),
    {},
    db,
  );
  assert.deepEqual(odd, [['refunded_later', 'payroll-2026-11/R-4', 'topup-4']]);
  assert.deepEqual([items.length, reconciliation.counts.matched, reconciliation.open], [8, 7, 1]);
  assert.deepEqual(reconciliation.wallets?.currencies, [
    { currency: 'USD', left: '4.8', charged: '4.8', unexplained: '0' },
  ]);
  assert.equal(reconciliation.wallets?.next, null);
});

test('no payment is read by itself if the wallets add up', async (t) => {
  const gateway = { ...serviceWith(allAtService()), read: async () => assert.fail('nobody asks') };
  assert.equal((await run(t, gateway)).reconciliation.open, 0);
});

test('a difference that no read explains gets a possible cause, and where to look', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  await db.execute(`UPDATE batches SET balance_after = replace(balance_after, '94.4', '95.2')`);
  const { reconciliation, dir } = await run(t, serviceWith(allAtService()), {}, db);
  const next = /^Each paid row of this time was looked up, and none explains the rest: it is a deposit/;
  assert.match(reconciliation.wallets?.next ?? '', next);
  const page = await readFile(join(dir, 'reconciliation.html'), 'utf8');
  assert.match(page, /it is a deposit, a fee, or a refund/);
  assert.match(page, /class="verdict attention"><p>All 8 payments agree, but the wallets do not add up\.</);
  assert.doesNotMatch(page, /nothing is open/);
});

test('if there are too many rows to look up, the command for a shorter time is shown, and each row is in its bucket', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  await db.execute(`UPDATE batches SET balance_after = replace(balance_after, '94.4', '95.2')`);
  const more = Array.from({ length: 300 }, (_, index) => index + 11);
  await insertRows(
    db,
    more.map((rowNo) => newRow('B-1', rowNo)),
  );
  await db.execute(
    `UPDATE rows SET status = 'completed', topup_id = 'topup-' || row_no, cost = '0.8', cost_currency = 'USD' WHERE row_no > 10`,
  );
  for (const rowNo of more) {
    const identity = { account: 'main', runId: 'payroll-2026-11', rowRef: `R-${rowNo}`, generation: 1 };
    await insertPayments(db, [
      aPayment(identity, { batch_id: 'B-1', row_no: rowNo, first_intent_at: startMs + 1_000 }),
    ]);
  }
  const phoneOf = new Map(
    (
      await db.query<{ row_no: number; phone_number: string }>(
        'SELECT row_no, phone_number FROM rows WHERE row_no > 10',
      )
    ).map((row) => [row.row_no, row.phone_number]),
  );
  const all = [
    ...allAtService(),
    ...more.map((rowNo) => paymentAtService(rowNo, { phoneNumber: phoneOf.get(rowNo) ?? null })),
  ];
  const gateway = { ...serviceWith(all), read: async () => assert.fail('nobody asks') };
  const { reconciliation, items, odd } = await run(t, gateway, {}, db);
  assert.deepEqual([odd, items.length, reconciliation.counts.matched], [[], 308, 308]);
  assert.equal(
    reconciliation.wallets?.next,
    'More than 300 rows were paid in this time: too many to look up one by one. Compare shorter times: airbatch reconcile --account main --from 2026-11-01 --to 2026-11-01',
  );
});

const nextSteps: [fields: Partial<BoundPayment>, bucket: Bucket, next: RegExp][] = [
  [{ status: 'in_doubt' }, 'ledger_only', /^To look it up again: airbatch resume B-1$/],
  [{ status: 'accepted' }, 'status_differs', /^To look it up again: airbatch resume B-1$/],
  [{ status: 'in_doubt', next_action_at: null }, 'ledger_only', /^A person decides: airbatch resolve B-1 3$/],
  [{ status: 'completed' }, 'status_differs', /no longer says that it was paid/],
  [{ status: 'failed' }, 'status_differs', /do not pay it again, and ask the service/],
  [{ status: 'skipped' }, 'status_differs', /do not pay it again, and ask the service/],
  [{ status: 'in_doubt', row_generation: 2 }, 'status_differs', /it may be paid twice/],
  [{ status: 'completed' }, 'ledger_only', /^Ask the service with the reference\.$/],
  [{ status: 'skipped' }, 'ledger_only', /^Ask the service with the reference\.$/],
];

for (const [fields, bucket, expected] of nextSteps)
  test(`only a row that is still looked up or followed is one to resume: ${bucket}, ${JSON.stringify(fields)}`, () => {
    const bound = { batch_id: 'B-1', row_no: 3, generation: 1, row_generation: 1, next_action_at: 1, ...fields };
    assert.match(nextOf(bucket, bound as BoundPayment).next, expected);
  });

test('a failed row that the service completed counts as paid from then on, but not one that it has not ended', async (t) => {
  const there = allAtService()
    .with(7, paymentAtService(8, { state: 'completed', serviceStatus: 'completed' }))
    .with(0, paymentAtService(1, { state: 'open', serviceStatus: 'processing' }));
  const { db } = await run(t, serviceWith(there));
  const rows = await db.query<{ row_no: number; contradicted: string }>(
    'SELECT row_no, contradicted FROM rows WHERE contradicted IS NOT NULL',
  );
  assert.deepEqual(rows, [{ row_no: 8, contradicted: 'completed' }]);
});

test('the page of a reconciliation shows only buckets with entries', async (t) => {
  const { dir } = await run(t, serviceWith(allAtService()));
  const text = await readFile(join(dir, 'reconciliation.html'), 'utf8');
  const items = [...text.matchAll(/data-name="Items">(\d+)</g)].map(([, count]) => count);
  assert.deepEqual(items, ['8']);
});

test('a reconciliation is signed, and verify proves it and finds changes', async (t) => {
  const { dir, files, reconciliation } = await run(t, serviceWith(allAtService()));
  assert.deepEqual(files.slice(-2), ['manifest.sig', 'manifest.json']);
  const proven = await verifyReports(dir);
  assert.deepEqual([proven.findings, proven.ok], [[], true]);
  assert.equal(proven.reconciliation_id, reconciliation.reconciliation_id);
  assert.deepEqual([proven.batch_id, proven.rows], [null, 8]);
  const other = (await openSigningKey(join(folderOf(t), 'other.pem'))).publicKey;
  assert.match(JSON.stringify((await verifyReports(dir, { publicKey: other })).findings), /another key/);
  const csv = join(dir, 'reconciliation.csv');
  const text = await readFile(csv, 'utf8');
  await writeFile(csv, text.replace(/\nmatched/, '\nno_payment'));
  const messages = (await verifyReports(dir)).findings.map(({ file, message }) => `${file} ${message}`);
  assert.deepEqual(messages.slice(1), [
    'reconciliation.csv has 7 of matched, and reconciliation.json says 8.',
    'reconciliation.csv has 1 of no_payment, and reconciliation.json says 0.',
  ]);
  await writeFile(csv, text);
  await writeFile(join(dir, 'note.txt'), 'x');
  assert.match(JSON.stringify((await verifyReports(dir)).findings), /note.txt.*not named/);
  await rm(join(dir, 'manifest.json'));
  const unsigned = await verifyReports(dir);
  assert.deepEqual([unsigned.ok, unsigned.notes.length], [false, 1]);
});

test('masked copies have the same lines, and no number that a file has put into a reference', async (t) => {
  const changes = { reference: 'payroll-2026-11/+254712000002', amount: { value: '9', currency: 'KES' } };
  const payments = [...allAtService(), paymentAtService(9, { topupId: 'topup-9', ...changes })];
  const { dir, items } = await run(t, serviceWith(payments));
  const read = (name: string) => readFile(join(dir, name));
  const masked = parse(await read('reconciliation-masked.csv'), { columns: true }) as Record<string, string>[];
  assert.equal(items.length, 9);
  assert.deepEqual(
    masked,
    items.map((item) => (item.topup_id === 'topup-9' ? { ...item, reference: 'payroll-2026-11/*********002' } : item)),
  );
  const sheet = async (name: string) => [...unzipped(await read(name)).values()].join('');
  for (const [name, text] of [
    ['reconciliation.csv', String(await read('reconciliation.csv'))],
    ['reconciliation.html', String(await read('reconciliation.html'))],
    ['reconciliation.xlsx', await sheet('reconciliation.xlsx')],
  ] as const)
    assert.match(text, /254712000002/, name);
  for (const text of [
    String(await read('reconciliation-masked.csv')),
    String(await read('reconciliation-masked.html')),
    await sheet('reconciliation-masked.xlsx'),
  ]) {
    assert.match(text, /payroll-2026-11\/\*+002/);
    assert.doesNotMatch(text, /254712000002/);
  }
  assert.deepEqual((await verifyReports(dir)).findings, []);
});
