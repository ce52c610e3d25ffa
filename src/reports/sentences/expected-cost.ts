import { currencyDecimals } from '../../core/money/money.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { recentCosts } from '../../ledger/rows/costs.ts';
import { sumsText } from './format.ts';

/**
 * What amounts will probably cost in the currencies of the wallets, from what recent payments of the account were
 * charged: the service shows its rates only by charging. An estimate for people; no payment depends on it.
 */
export interface ExpectedCost {
  /** By currency of the wallets. */
  cost: Record<string, string>;
  /** Recipients' currencies in which the account has not paid lately: `cost` does not include them. */
  unknown: string[];
}

/** Estimates `asked`: sums by the recipients' currencies. */
export async function expectedCost(
  db: Queryable,
  batch: Pick<BatchRecord, 'account' | 'service'>,
  asked: Readonly<Record<string, string>>,
): Promise<ExpectedCost> {
  const rates = new Map<string, { rate: number; currency: string }>();
  for (const { currency, amount, cost, cost_currency } of await recentCosts(db, batch))
    rates.set(currency, { rate: Number(cost) / Number(amount), currency: cost_currency });
  const totals = new Map<string, number>();
  const unknown: string[] = [];
  for (const [currency, sum] of Object.entries(asked)) {
    const last = rates.get(currency);
    if (!last) unknown.push(currency);
    else totals.set(last.currency, (totals.get(last.currency) ?? 0) + Number(sum) * last.rate);
  }
  const rounded = [...totals].map(([currency, total]) => [currency, total.toFixed(currencyDecimals(currency) ?? 2)]);
  return { cost: Object.fromEntries(rounded), unknown };
}

/** "about USD 8.29, at the rates of recent payments; unknown for UGX". */
export function expectedCostText({ cost, unknown }: ExpectedCost): string {
  if (Object.keys(cost).length === 0) return 'unknown until sent: the service chooses the wallet and the rate';
  const rest = unknown.length === 0 ? '' : `; unknown for ${unknown.join(', ')}`;
  return `about ${sumsText(cost)}, at the rates of recent payments${rest}`;
}
