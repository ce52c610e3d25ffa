import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  bearsEarlierPayment,
  earlierVerdict,
  goesOn,
  type KeyOwner,
  samePayment,
} from '../../../src/core/state/earlier-payment.ts';
import type { RowState } from '../../../src/core/state/row-state.ts';

const terms = { phone_number: '+254712000001', network_id: 1, amount: '100', currency: 'KES', product_id: null };
const owner = (fields: Partial<KeyOwner> = {}): KeyOwner => ({
  ...terms,
  batch_id: 'b',
  row_no: 1,
  status: 'completed',
  service_status: null,
  contradicted: null,
  ...fields,
});

test('two rows ask for the same payment however their amounts are written, and for another one where anything differs', () => {
  assert.ok(samePayment(terms, { ...terms, amount: '100.00' }));
  const bundle = { ...terms, amount: null, currency: null, product_id: '7' };
  assert.ok(samePayment(bundle, { ...bundle }));
  for (const other of [
    { phone_number: '+254712000002' },
    { network_id: 2 },
    { amount: '100.01' },
    { amount: null },
    { currency: 'UGX' },
    { product_id: '7' },
  ]) {
    assert.equal(samePayment(terms, { ...terms, ...other }), false, JSON.stringify(other));
    assert.equal(samePayment({ ...terms, ...other }, terms), false, JSON.stringify(other));
  }
});

test('a row bears an earlier payment while it waits or was put aside, and the service has said something of that', () => {
  const bearing = (['held', 'skipped', 'ready', 'failed', 'completed', 'in_doubt'] satisfies RowState[]).map(
    (status) => [
      bearsEarlierPayment({ status, service_status: 'completed' }),
      bearsEarlierPayment({ status, service_status: null }),
    ],
  );
  const [yes, no] = [
    [true, false],
    [false, false],
  ];
  assert.deepEqual(bearing, [yes, yes, yes, no, no, no]);
});

test('a file that a person feeds in again goes on where its row has failed for sure, three times at most', () => {
  const failed = owner({ status: 'failed', service_status: 'FAILED' });
  assert.ok(goesOn(failed, { generation: 2, job: null }));
  assert.equal(goesOn(failed, { generation: 3, job: null }), false);
  assert.equal(goesOn(failed, { generation: 1, job: 'payroll' }), false);
  for (const status of ['completed', 'accepted', 'in_doubt', 'sending', 'ready'] satisfies RowState[])
    assert.equal(goesOn(owner({ status }), { generation: 1, job: null }), false, status);
  for (const service_status of ['TIMEOUT', 'UNDERLIVERED', 'CANCELED'])
    assert.equal(goesOn({ ...failed, service_status }, { generation: 1, job: null }), false, service_status);
});

test('and where its row was put aside before anything was paid, whoever brings the file; not where that bears a payment that may have arrived', () => {
  const aside = owner({ status: 'skipped' });
  for (const job of [null, 'payroll']) {
    assert.ok(goesOn(aside, { generation: 2, job }));
    assert.equal(goesOn(aside, { generation: 3, job }), false);
  }
  assert.equal(goesOn({ ...aside, service_status: 'completed' }, { generation: 1, job: null }), false);
});

describe('a row whose key an earlier batch has', () => {
  for (const [what, row, earlier, event, code] of [
    ['is skipped where that one was paid', terms, owner(), 'skip', 'ALREADY_PAID'],
    ['and where it is not known yet', terms, owner({ status: 'in_doubt' }), 'skip', 'ALREADY_SENT'],
    ['is held where it asks for something else', { ...terms, amount: '150' }, owner(), 'hold', 'REFERENCE_REUSED'],
    ['and where that one failed', terms, owner({ status: 'failed' }), 'hold', 'FAILED_BEFORE'],
    ['and where that one was put aside', terms, owner({ status: 'skipped' }), 'hold', 'FAILED_BEFORE'],
    [
      'is skipped where that one was put aside, and bears a payment that may have arrived',
      terms,
      owner({ status: 'skipped', service_status: 'completed' }),
      'skip',
      'ALREADY_SENT',
    ],
    [
      'and where it may have arrived, whatever it asks for now',
      { ...terms, amount: '150' },
      owner({ status: 'failed', service_status: 'TIMEOUT' }),
      'hold',
      'FAILED_BEFORE',
    ],
  ] satisfies [string, typeof terms, KeyOwner, string, string][]) {
    test(what, () => {
      const verdict = earlierVerdict(row, earlier, 1);
      assert.deepEqual([verdict.event, verdict.problem.code], [event, code]);
    });
  }
});

test('a row that has failed as often as it may be tried is told to be skipped, whatever it asks for now: a retry would refuse it', () => {
  const owners = [owner({ status: 'failed', service_status: 'FAILED' }), owner({ status: 'skipped' })];
  for (const [row, earlier] of [terms, { ...terms, amount: '150' }].flatMap((one) =>
    owners.map((of) => [one, of] as const),
  )) {
    const { event, problem } = earlierVerdict(row, earlier, 3);
    assert.deepEqual([event, problem.code], ['hold', 'FAILED_BEFORE']);
    assert.match(problem.message, /tried 3 times/);
    assert.match(problem.suggestion, /^Skip it here.*another reference/);
  }
});
