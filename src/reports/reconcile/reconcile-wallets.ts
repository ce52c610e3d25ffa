import { z } from 'zod';
import { Sums, sameAmount, subtractAmounts } from '../../core/money/money.ts';
import { isoTime } from '../../core/time/clock.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { balancesBetween } from '../../ledger/reporting/reconciliations.ts';
import { balanceOf, type StoredBalance } from '../summary/stored.ts';
import { byWalletCurrency } from '../summary/unnamed-currencies.ts';

/**
 * What left the wallets between the first and the last reading of an account's balance, and which charges of the
 * service explain it.
 */
export const walletProof = z.strictObject({
  first_read_at: z.string(),
  last_read_at: z.string(),
  /** For each currency: left = charged + unexplained. */
  currencies: z.array(
    z.strictObject({ currency: z.string(), left: z.string(), charged: z.string(), unexplained: z.string() }),
  ),
});
export type WalletProof = z.output<typeof walletProof>;

/** Charges between these times explain the wallets (epoch milliseconds). */
export interface ReadingSpan {
  fromMs: number;
  toMs: number;
}

/** The balances that batches of the account read in the compared time. */
export async function readingsOf(
  db: Queryable,
  { account, fromMs, toMs }: { account: string; fromMs: number; toMs: number },
): Promise<StoredBalance[]> {
  const stored = await balancesBetween(db, account, fromMs, toMs);
  return stored.map(balanceOf).filter((balance) => balance !== null);
}

/** `willReadNow`: the balance will be read once more after the comparison. */
export function readingSpan(readings: readonly StoredBalance[], willReadNow: boolean): ReadingSpan | null {
  const times = readings.map(({ readAt }) => readAt);
  if (times.length === 0) return null;
  return { fromMs: Math.min(...times), toMs: willReadNow ? Number.POSITIVE_INFINITY : Math.max(...times) };
}

/** Null without two readings. `chargedByService`: what the service charged between the first and the last of them. */
export function explainWallets(
  readings: readonly StoredBalance[],
  chargedByService: Record<string, string>,
): WalletProof | null {
  const inOrder = [...readings].sort((a, b) => a.readAt - b.readAt);
  const [first, last] = [inOrder[0], inOrder.at(-1)];
  if (!first || !last || first.readAt === last.readAt) return null;
  const charged = byWalletCurrency(last.wallets, chargedByService);
  const left = new Sums();
  for (const { currency, balance } of first.wallets) left.add(currency, balance);
  for (const { currency, balance } of last.wallets) left.add(currency, subtractAmounts('0', balance));
  for (const currency of Object.keys(charged)) left.add(currency, '0');
  return {
    first_read_at: isoTime(first.readAt),
    last_read_at: isoTime(last.readAt),
    currencies: Object.entries(left.toObject()).map(([currency, value]) => ({
      currency,
      left: value,
      charged: charged[currency] ?? '0',
      unexplained: subtractAmounts(value, charged[currency] ?? '0'),
    })),
  };
}

/** Whether anything is unexplained. */
export function hasRest(wallets: Pick<WalletProof, 'currencies'> | null): boolean {
  return wallets?.currencies.some(({ unexplained }) => !sameAmount(unexplained, '0')) ?? false;
}

/** What to do about the unexplained rest. `areLookedUp`: each paid row of the time was read by itself. */
export function restNext(
  { account, from }: { account: string; from: string },
  { areLookedUp, max }: { areLookedUp: boolean; max: number },
): string {
  const day = from.slice(0, 10);
  return areLookedUp
    ? 'Each paid row of this time was looked up, and none explains the rest: it is a deposit, a fee, or a refund that the service does not show. Compare its statement for this time.'
    : `More than ${max} rows were paid in this time: too many to look up one by one. Compare shorter times: airbatch reconcile --account ${account} --from ${day} --to ${day}`;
}
