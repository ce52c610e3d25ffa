import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Balances, type Forecast, seriesOf } from '../../../../src/console/pages/wallets/balance-series.ts';

const day = 86_400;
const start = Date.parse('2026-11-01T00:00:00Z') / 1_000;
const iso = (seconds: number) => new Date(seconds * 1_000).toISOString();
const walletOf = (wallet_id: string, balance: string, fields: { active?: boolean; currency?: string } = {}) => ({
  ...{ wallet_id, name: wallet_id, currency: 'KES', balance, active: true },
  ...fields,
});
type Wallet = ReturnType<typeof walletOf>;

const balances: Balances = [
  { read_at: iso(start), total: null, wallets: [walletOf('W-1', '900')] },
  { read_at: iso(start + day), total: null, wallets: [walletOf('W-1', '600')] },
];

function forecastOf(wallets: Wallet[], runsOutAt: number | null): Forecast {
  const sums = { balance: '500', queued: '0', waiting: '0', missing: null, spent: '400' };
  const runs_out_at = runsOutAt === null ? null : iso(runsOutAt);
  return {
    account: 'sandbox',
    balance: { total: null, wallets, read_at: iso(start + 2 * day) },
    currencies: [{ ...sums, currency: 'KES', runs_out_at, runs_out_by: 'usual_spending' }],
    unknown: {},
    products: 0,
  };
}

test('a wallet ends with the balance of the forecast, and goes on from there until the money runs out', () => {
  const [series] = seriesOf(balances, forecastOf([walletOf('W-1', '500')], start + 6 * day));
  assert.deepEqual(
    series?.points.map(({ balance }) => balance),
    ['900', '600', '500'],
  );
  assert.equal(series?.points.at(-1)?.at, start + 2 * day);
  assert.equal(series?.emptyAt, start + 6 * day);
});

test('a forecast of money that lasts, or without a time, adds no line', () => {
  assert.equal(seriesOf(balances, forecastOf([walletOf('W-1', '500')], null))[0]?.emptyAt, null);
  assert.equal(seriesOf(balances, undefined)[0]?.emptyAt, null);
});

test('a forecast is of all active wallets in a currency: of several, or of an inactive one, no line is drawn', () => {
  const two = seriesOf(balances, forecastOf([walletOf('W-1', '300'), walletOf('W-2', '200')], start + 6 * day));
  assert.equal(two[0]?.emptyAt, null);
  const inactive = seriesOf(balances, forecastOf([walletOf('W-1', '500', { active: false })], start + 6 * day));
  assert.equal(inactive[0]?.emptyAt, null);
  const beside = [walletOf('W-1', '500'), walletOf('W-2', '200', { active: false })];
  assert.equal(seriesOf(balances, forecastOf(beside, start + 6 * day))[0]?.emptyAt, start + 6 * day);
});

test('a wallet that never changed has no chart', () => {
  const still = balances.map((one) => ({ ...one, wallets: [walletOf('W-1', '900')] }));
  assert.deepEqual(seriesOf(still, undefined), []);
});
