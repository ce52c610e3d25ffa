import assert from 'node:assert/strict';
import { test } from 'node:test';
import { didYouMean, similarName } from '../../../src/core/text/similar-name.ts';

test('a misspelt name is recognized, and a different name is not', () => {
  const names = ['main', 'monthly-payroll', 'promo', 'kenya'];
  for (const [given, meant] of [
    ['Main', 'main'],
    ['mian', 'main'],
    ['man', 'main'],
    ['mainn', 'main'],
    ['montly-payrol', 'monthly-payroll'],
    ['monthly_payroll', 'monthly-payroll'],
    ['uganda', null],
    ['x', null],
    ['', null],
  ] as const)
    assert.equal(similarName(given, names), meant, given);
  assert.equal(didYouMean('kenia', names), 'Did you mean "kenya"?');
  assert.equal(didYouMean('uganda', names), '');
});
