import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ExactSums, sameDecimal } from '../../../src/verify/input/decimal.ts';

describe('decimals of the proof', () => {
  test('are equal however they are written, and different if one digit differs', () => {
    for (const [a, b] of [
      ['1', '1.00'],
      ['-0.5', '-0.50'],
      ['0', '-0'],
      ['0.000000000000000001', '0.000000000000000001'],
    ] as const)
      assert.equal(sameDecimal(a, b), true, `${a} ${b}`);
    for (const [a, b] of [
      ['1', '-1'],
      ['0.1', '0.01'],
      ['0.000000000000000001', '0.000000000000000002'],
      ['90071992547409.93', '90071992547409.92'],
    ] as const)
      assert.equal(sameDecimal(a, b), false, `${a} ${b}`);
  });

  test('add up without rounding, unlike binary floats', () => {
    const [sums, others] = [new ExactSums(), new ExactSums()];
    for (const amount of ['0.1', '0.2', '90071992547409.93', '-0.000000000000000001']) sums.add('KES', amount);
    others.add('KES', '90071992547410.229999999999999999');
    assert.deepEqual(sums.differences(others), []);
    others.add('USD', '0.01');
    others.add('KES', '0.000000000000000001');
    assert.deepEqual(sums.differences(others), ['KES', 'USD']);
  });

  test('are nothing else: other text is never read as an amount', () => {
    for (const text of ['', '1e3', '1,000', ' 1', '1.', '.5', '0x10', 'NaN', '0.0000000000000000001'])
      assert.throws(() => sameDecimal(text, '0'), /is not an amount/, text);
  });
});
