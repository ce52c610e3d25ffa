import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { writeReports } from '../../../src/reports/reports.ts';
import { openSigningKey } from '../../../src/reports/versions/signing-key.ts';
import { verifyReports } from '../../../src/verify/verify.ts';
import {
  completedWay,
  failedWay,
  newBatch,
  newRow,
  signedBy,
  startMs,
  testLedger,
  writeBatch,
} from '../../reports/fixture.ts';
import { giveBack } from '../../reports/late.ts';
import { folderOf } from '../../support/folder.ts';

const people = ['+254712000001', '+254712000002', '+254712000003'];

/** As `GET /v2/topups` lists a payment (spec section 2.2). */
function entry(rowNo: number, changes: object = {}) {
  return {
    id: `topup-${rowNo}`,
    status: 'completed',
    phone_number: people[rowNo - 1],
    network: { id: 1, name: 'Safaricom', country: 'Kenya', country_code: 'KE' },
    amount: { value: 100.5, currency: 'KES' },
    cost: { value: 0.8, currency: 'USD' },
    wallet: { id: 'USD-global', type: 'global', currency: 'USD', strategy: 'AUTO_USD_PRIMARY' },
    reference: `payroll-2026-11/R-${rowNo}`,
    created_at: new Date(startMs + rowNo * 1_000).toISOString(),
    completed_at: new Date(startMs + rowNo * 1_000 + 900).toISOString(),
    ...changes,
  };
}

interface Setting {
  mask?: boolean;
  prepare?: (db: Database) => Promise<void>;
}

/** Two rows paid and one that failed; returns what verification finds with such a list. */
async function makeReports(t: TestContext, { mask = false, prepare }: Setting = {}) {
  const db = await testLedger(t);
  const rows = people.map((phone_number, index) => newRow('B-1', index + 1, { phone_number, network_id: 1 }));
  const ways = [completedWay(1), completedWay(2), failedWay(3)];
  await writeBatch(
    db,
    newBatch('B-1'),
    rows.map((row, index) => ({ row, way: ways[index] ?? [] })),
  );
  await prepare?.(db);
  const folder = folderOf(t);
  const key = await openSigningKey(join(folder, 'key.pem'));
  const { dir } = await writeReports(db, 'B-1', folder, { ...signedBy(db, key), mask });
  const serviceList = join(dirname(dir), 'list.jsonl');
  return async (entries: readonly (object | string)[]) => {
    await writeFile(
      serviceList,
      entries.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n'),
    );
    return (await verifyReports(dir, { serviceList })).findings.map(({ message }) => message);
  };
}

const failedEntry = entry(3, { status: 'failed', cost: { value: 0, currency: 'USD' }, completed_at: null });
const whole = [entry(1), entry(2), failedEntry];

const changes: [field: string, changed: object, difference: string][] = [
  [
    'phone number',
    { phone_number: '+254712999999' },
    'has the phone number +254712000002; the service has +254712999999',
  ],
  ['network', { network: { id: 7, name: 'Airtel' } }, 'has the network 1; the service has 7'],
  ['amount', { amount: { value: 1005, currency: 'KES' } }, 'has the amount 100.50; the service has 1005'],
  ['currency', { amount: { value: 100.5, currency: 'UGX' } }, 'has the currency KES; the service has UGX'],
  ['cost', { cost: { value: 8, currency: 'USD' } }, 'has the cost 0.80; the service has 8'],
  [
    'currency of the cost',
    { cost: { value: 0.8, currency: 'EUR' } },
    'has the currency of the cost USD; the service has EUR',
  ],
  ['payment', { id: 'topup-9' }, 'has the payment topup-2; the service has topup-9'],
  [
    'reference',
    { reference: 'another-run/R-2' },
    'has the reference payroll-2026-11/R-2; the service has another-run/R-2',
  ],
  [
    'time of completion',
    { completed_at: '2026-10-01T00:00:00.000Z' },
    'has the time of completion 2026-11-01T08:00:02.900Z; the service has 2026-10-01T00:00:00.000Z',
  ],
];

for (const [field, changed, difference] of changes) {
  test(`a payment with another ${field} in the service’s list is a finding that names both values`, async (t) => {
    const findingsFor = await makeReports(t);
    const { id } = entry(2, changed);
    assert.deepEqual(await findingsFor(whole), []);
    assert.deepEqual(await findingsFor(whole.with(1, entry(2, changed))), [`row 2 ${difference} (payment ${id}).`]);
  });
}

test('the state at the service is compared both ways, also for failed rows and failed payments', async (t) => {
  const findingsFor = await makeReports(t);
  const said = (rowNo: number, own: string, service: string) =>
    `row ${rowNo} is ${own}; the service has payment topup-${rowNo} as ${service}.`;
  const states = (rowNo: number, status: string) =>
    whole.with(rowNo - 1, entry(rowNo, { status, cost: null, completed_at: null }));
  assert.deepEqual(await findingsFor(states(1, 'failed')), [said(1, 'completed', 'failed')]);
  assert.deepEqual(await findingsFor(states(1, 'pending')), [said(1, 'completed', 'pending')]);
  assert.deepEqual(await findingsFor(states(3, 'completed')), [said(3, 'failed', 'completed')]);
  assert.deepEqual(await findingsFor(states(3, 'processing')), [said(3, 'failed', 'processing')]);
});

test('payments with swapped recipients are listed one by one', async (t) => {
  const findingsFor = await makeReports(t);
  const swapped = [entry(1, { phone_number: people[1] }), entry(2, { phone_number: people[0] }), failedEntry];
  assert.deepEqual(await findingsFor(swapped), [
    'row 1 has the phone number +254712000001; the service has +254712000002 (payment topup-1).',
    'row 2 has the phone number +254712000002; the service has +254712000001 (payment topup-2).',
  ]);
});

test('masked results are compared as far as they can be read, without showing a number of the list', async (t) => {
  const findingsFor = await makeReports(t, { mask: true });
  assert.deepEqual(await findingsFor(whole), []);
  assert.deepEqual(await findingsFor(whole.with(1, entry(2, { phone_number: '+254712999999' }))), [
    'row 2 has the phone number 2********002; the service has another (payment topup-2).',
  ]);
  assert.deepEqual(await findingsFor(whole.with(1, entry(2, { cost: { value: 0.81, currency: 'USD' } }))), [
    'row 2 has the cost 0.80; the service has 0.81 (payment topup-2).',
  ]);
});

test('an amount is compared as written, without a binary float and in any form of JSON', async (t) => {
  const findingsFor = await makeReports(t);
  const written = (value: string) => JSON.stringify(entry(2)).replace('"value":100.5', `"value":${value}`);
  for (const value of ['100.50', '1.005e2', '1005E-1'])
    assert.deepEqual(await findingsFor(whole.with(1, written(value) as never)), [], value);
  assert.deepEqual(await findingsFor(whole.with(1, written('100.50000000000000001') as never)), [
    'row 2 has the amount 100.50; the service has 100.50000000000000001 (payment topup-2).',
  ]);
});

test('a cost that is lower by the refund is not a difference; any other difference is', async (t) => {
  const findingsFor = await makeReports(t, { prepare: (db) => giveBack(db, 2) });
  const cost = (value: number) => whole.with(1, entry(2, { cost: { value, currency: 'USD' } }));
  assert.deepEqual(await findingsFor(cost(0.8)), []);
  assert.deepEqual(await findingsFor(cost(0)), []);
  assert.deepEqual(await findingsFor(cost(8)), ['row 2 has the cost 0.80; the service has 8 (payment topup-2).']);
});
