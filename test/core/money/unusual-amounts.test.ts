import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { unusualAmounts } from '../../../src/core/money/unusual-amounts.ts';

const asked = (...amounts: [currency: string, amount: string, count: number][]) =>
  amounts.map(([currency, amount, count]) => ({ currency, amount, count }));

describe('an amount far above the usual one', () => {
  test('is reported with the median of its own currency', () => {
    assert.deepEqual(
      unusualAmounts(asked(['KES', '99999', 1], ['KES', '100', 4], ['KES', '250', 3], ['UGX', '99999', 9])),
      [{ currency: 'KES', amount: '99999', usual: '100' }],
    );
  });

  test('is more than ten times as much', () => {
    assert.deepEqual(unusualAmounts(asked(['KES', '100', 9], ['KES', '1000', 1])), []);
    assert.equal(unusualAmounts(asked(['KES', '100', 9], ['KES', '1000.01', 1])).length, 1);
  });

  test('is compared as a number, not as a text', () => {
    assert.deepEqual(unusualAmounts(asked(['KES', '900', 9], ['KES', '5000', 1])), []);
    assert.equal(unusualAmounts(asked(['KES', '9', 9], ['KES', '5000', 1])).length, 1);
  });

  test('does not exist with too few rows, or without amounts', () => {
    assert.deepEqual(unusualAmounts(asked(['KES', '1', 3], ['KES', '5000', 1])), []);
    assert.deepEqual(unusualAmounts([{ currency: null, amount: null, count: 50 }]), []);
    assert.deepEqual(unusualAmounts([]), []);
  });
});
