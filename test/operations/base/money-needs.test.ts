import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparedCurrencies, heldIn, missingFrom } from '../../../src/operations/base/money-needs.ts';

const wallet = (currency: string, balance: string, active = true) => ({
  ...{ walletId: `w-${currency}`, name: currency, currency, balance, active },
});

test('wallets that are not active, or do not name their currency, hold nothing that can be compared', () => {
  const wallets = [wallet('USD', '5'), wallet('USD', '2.5'), wallet('KES', '9', false), wallet('', '4')];
  assert.deepEqual(heldIn({ wallets }), { USD: '7.5' });
});

test('a cost is compared also if no active wallet has its currency, unless no wallet names one', () => {
  const costs = [{ KES: '10' }, { EUR: '1', USD: '3' }];
  assert.deepEqual(comparedCurrencies({ USD: '7.5' }, costs), ['EUR', 'KES', 'USD']);
  assert.deepEqual(comparedCurrencies({}, costs), []);
});

test('what is missing is the difference, and nothing if the money is just enough', () => {
  assert.deepEqual([missingFrom('7.5', '7.6'), missingFrom('7.5', '7.5'), missingFrom('0', '3')], ['0.1', null, '3']);
});
