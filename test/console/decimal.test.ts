import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addDecimals, sumsOf } from '../../src/console/texts/decimal.ts';

describe('sums of decimals', () => {
  test('are exact, whatever the number of digits', () => {
    assert.equal(addDecimals('0.1', '0.2'), '0.3');
    assert.equal(addDecimals('9007199254740993', '0.0001'), '9007199254740993.0001');
    assert.equal(addDecimals('1.50', '-2'), '-0.50');
    assert.equal(addDecimals(), '0');
  });

  test('are separate for each currency, without entries that have no amount', () => {
    const parts = [
      { amount: '500', currency: 'KES' },
      { amount: '1250.5', currency: 'KES' },
      { amount: '3', currency: 'USD' },
      { amount: null, currency: null },
    ];
    assert.deepEqual(sumsOf(parts), { KES: '1750.5', USD: '3' });
  });
});
