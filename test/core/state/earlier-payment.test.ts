import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bearsEarlierPayment, samePayment } from '../../../src/core/state/earlier-payment.ts';
import type { RowState } from '../../../src/core/state/row-state.ts';

const terms = { phone_number: '+254712000001', network_id: 1, amount: '100', currency: 'KES', product_id: null };

test('two rows ask for the same payment however their amounts are written, and not if anything differs', () => {
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

test('a row keeps an earlier payment while it waits, is held or is skipped, if the service reported on that payment', () => {
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
