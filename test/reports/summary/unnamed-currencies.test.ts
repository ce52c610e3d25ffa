import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainWallets } from '../../../src/reports/reconcile/reconcile-wallets.ts';
import { byWalletCurrency } from '../../../src/reports/summary/unnamed-currencies.ts';

const charged = { KES: '614', UGX: '20000', USD: '5.5193' };

test('charges stay in their currencies if the wallets name theirs', () => {
  assert.deepEqual(byWalletCurrency([{ currency: 'USD' }, { currency: 'KES' }], charged), charged);
});

test('charges in currencies that no wallet names are assigned to the balances without a currency', () => {
  assert.deepEqual(byWalletCurrency([{ currency: '' }, { currency: '' }], charged), { '': '20619.5193' });
  assert.deepEqual(byWalletCurrency([{ currency: '' }, { currency: 'KES' }], charged), {
    '': '20005.5193',
    KES: '614',
  });
});

test('the balances of Version 1 are explained completely, and an unexplained rest is shown', () => {
  const reading = (readAt: number, ...balances: string[]) => ({
    total: null,
    readAt,
    wallets: balances.map((balance, index) => ({
      walletId: `w-${index}`,
      name: '',
      currency: '',
      balance,
      active: true,
    })),
  });
  const first = reading(1, '500000', '20000000', '10000');
  const unexplained = (...last: string[]) =>
    explainWallets([first, reading(2, ...last)], charged)?.currencies.map((one) => [one.currency, one.unexplained]);
  assert.deepEqual(unexplained('499386', '19980000', '9994.4807'), [['', '0']]);
  assert.deepEqual(unexplained('499386', '19980000', '9994.4806'), [['', '0.0001']]);
});
