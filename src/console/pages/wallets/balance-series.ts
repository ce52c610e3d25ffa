import type { Answer } from '../../api/client.ts';

export type Balances = Answer<'/api/v1/accounts/{account}/balances'>['balances'];
export type Forecast = Answer<'/api/v1/accounts/{account}/money-forecast'>;

/** One wallet over time. Floats are exact enough to draw a line; texts are formatted from the decimals. */
export interface Series {
  id: string;
  name: string;
  currency: string;
  /** Times are in epoch seconds, as uPlot wants them. */
  points: { at: number; balance: string }[];
  /** When the forecast says that the wallet will be empty; null if it does not say so of this wallet alone. */
  emptyAt: number | null;
}

/** The wallets of an account that have changed, each up to the balance that the forecast has read. */
export function seriesOf(balances: Balances, forecast: Forecast | undefined): Series[] {
  const series = new Map<string, Series>();
  for (const { read_at, wallets } of [...balances, ...(forecast === undefined ? [] : [forecast.balance])])
    for (const { wallet_id: id, name, currency, balance } of wallets) {
      const one = series.get(id) ?? { id, name, currency, points: [], emptyAt: emptyAt(id, forecast) };
      const at = secondsOf(read_at);
      // The last balance may have been read by the forecast.
      if (at > (one.points.at(-1)?.at ?? 0)) one.points.push({ at, balance });
      series.set(id, one);
    }
  return [...series.values()].filter(({ points }) => new Set(points.map(({ balance }) => balance)).size > 1);
}

/** The forecast is of all active wallets in a currency together: it is of this one if no other is active. */
function emptyAt(walletId: string, forecast: Forecast | undefined): number | null {
  const wallet = forecast?.balance.wallets.find(({ wallet_id }) => wallet_id === walletId);
  const active = forecast?.balance.wallets.filter((one) => one.active && one.currency === wallet?.currency) ?? [];
  if (wallet?.active !== true || active.length !== 1) return null;
  const end = forecast?.currencies.find(({ currency }) => currency === wallet.currency)?.runs_out_at ?? null;
  return end === null ? null : secondsOf(end);
}

function secondsOf(iso: string): number {
  return Date.parse(iso) / 1_000;
}
