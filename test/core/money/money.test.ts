import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  addAmounts,
  compareAmounts,
  currencyDecimals,
  isDecimal,
  moneyText,
  multiplyAmount,
  Sums,
  sameAmount,
  subtractAmounts,
} from '../../../src/core/money/money.ts';

const cents = fc.bigInt({ min: 0n, max: 10n ** 30n });
/** Without the zeros at its end, made without the library that is tried here. */
const canonical = (units: bigint) => decimal(units).replace(/\.?0+$/, '');
const decimal = (units: bigint) => `${units / 100n}.${String(units % 100n).padStart(2, '0')}`;

describe('amounts', () => {
  test('add and subtract exactly, far beyond what a binary float holds', () => {
    assert.equal(addAmounts('0.1', '0.2'), '0.3');
    fc.assert(
      fc.property(cents, cents, (a, b) => {
        assert.equal(addAmounts(decimal(a), decimal(b)), canonical(a + b));
        assert.equal(subtractAmounts(addAmounts(decimal(a), decimal(b)), decimal(b)), canonical(a));
      }),
    );
  });

  test('are equal whatever their trailing zeros', () => {
    assert.ok(sameAmount('10.50', '10.5'));
    assert.equal(sameAmount('10.50', '10.05'), false);
    assert.equal(compareAmounts('9', '10'), -1);
  });

  test('are plain decimals, without exponents or signs', () => {
    for (const text of ['0', '12', '12.50', '-3']) assert.ok(isDecimal(text), text);
    for (const text of ['', '1e3', '.5', '5.', '01', '+1', '1,000', 'NaN']) assert.equal(isDecimal(text), false, text);
  });

  test('are written with their currency’s decimals, and never rounded', () => {
    assert.equal(moneyText('KES', '1250.5'), 'KES 1,250.50');
    assert.equal(moneyText('UGX', '1250'), 'UGX 1,250');
    assert.equal(moneyText('KES', '-1234567.8'), 'KES -1,234,567.80');
    assert.equal(moneyText('KES', '120.123456'), 'KES 120.123456');
    assert.equal(moneyText('USD', '0.0042'), 'USD 0.0042');
    assert.equal(currencyDecimals('XXQ'), null);
  });

  test('are multiplied and summed by currency', () => {
    assert.equal(multiplyAmount('0.1', 3), '0.3');
    const sums = new Sums();
    sums.add('UGX', '500');
    sums.add('KES', '0.10');
    sums.add('KES', '0.20');
    assert.deepEqual(sums.toObject(), { KES: '0.3', UGX: '500' });
    assert.deepEqual(Object.keys(sums.toObject()), ['KES', 'UGX']);
  });
});
