import { Sums } from '../../core/money/money.ts';

/**
 * Charges, by the currencies in which the wallets are compared. Version 1 does not say the currency of a balance (spec
 * section 2.6), while each charge names its own. So wallets without a currency are compared all together, each in its
 * own units, and they are assumed to have paid every charge in a currency that no wallet names. The sums still agree
 * exactly.
 */
export function byWalletCurrency(
  wallets: readonly { currency: string }[],
  charged: Record<string, string>,
): Record<string, string> {
  const named = new Set(wallets.map(({ currency }) => currency));
  if (!named.has(unnamed)) return charged;
  const sums = new Sums();
  for (const [currency, value] of Object.entries(charged)) sums.add(named.has(currency) ? currency : unnamed, value);
  return sums.toObject();
}

const unnamed = '';
