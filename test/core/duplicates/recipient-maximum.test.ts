import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LostPayment, SentPayment } from '../../../src/core/duplicates/earlier-payments.ts';
import type { AskingRow } from '../../../src/core/duplicates/question.ts';
import { beyondMaximum } from '../../../src/core/duplicates/recipient-maximum.ts';
import { dayMs } from '../../../src/core/time/clock.ts';

const now = Date.UTC(2026, 10, 21);
const maximum = { days: 30, sums: { KES: '500' }, since: now - 30 * dayMs };
const row: AskingRow = {
  batch_id: 'b',
  row_no: 2,
  run_id: 'run',
  row_ref: 'r-2',
  amount: '100',
  currency: 'KES',
  phone_number: '+254712000001',
  network_id: 1,
  product_id: null,
  known_until: null,
  maximumKnownUntil: null,
};

function sent(fields: Partial<SentPayment> = {}): SentPayment {
  return {
    batch_id: 'a',
    run_id: 'other',
    row_ref: 'r-1',
    row_no: 2,
    line: 3,
    status: 'completed',
    service_status: 'completed',
    failure_code: null,
    amount: '450',
    currency: 'KES',
    product_id: null,
    first_sent_at: now - dayMs,
    known_until: null,
    contradicted: null,
    contradicted_at: null,
    second_topup_id: null,
    ...fields,
  };
}

function lost(fields: Partial<LostPayment> = {}): LostPayment {
  const { run_id, amount, currency, first_sent_at } = sent();
  return { topup_id: 't-1', run_id, row_ref: 'r-1', amount, currency, first_sent_at, ...fields };
}

describe('a row with which its number exceeds the maximum', () => {
  for (const [what, payment, isBeyond] of [
    ['by what another batch sent', sent(), true],
    ['by what was sent when the days began', sent({ first_sent_at: maximum.since }), true],
    ['not by what was sent before', sent({ first_sent_at: maximum.since - 1 }), false],
    ['not by another currency', sent({ currency: 'UGX' }), false],
    ['not by a product', sent({ amount: null, product_id: '7' }), false],
    ['by another row of its own batch', sent({ batch_id: 'b', row_no: 1 }), true],
    ['not by itself', sent({ batch_id: 'b' }), false],
    ['not by what failed for sure', sent({ status: 'failed', service_status: 'failed' }), false],
    ['by what a restored ledger has lost', lost(), true],
    ['not by its own payment, which is looked up', lost({ run_id: 'run', row_ref: 'r-2' }), false],
    ['not by what nobody could read', lost({ amount: null, currency: null }), false],
    ['not by what may be to anyone', lost({ isToAnyone: true }), false],
  ] as const) {
    test(what, () => assert.equal(beyondMaximum(row, [payment], maximum) !== null, isBeyond));
  }

  test('exceeds it alone, and the message does not mention earlier payments', () => {
    const found = beyondMaximum({ ...row, amount: '501' }, [], maximum);
    assert.equal(
      found?.problem.message,
      'With this row the number gets KES 501.00 within 30 days, and KES 500.00 are allowed.',
    );
    assert.equal(found.until, 0);
  });
});
