import { Sums } from '../../core/money/money.ts';

/**
 * Charges, by the currencies in which the wallets that paid them are compared. Version 1 does not say which currency a
 * balance is in (spec section 2.6), while each charge names its own: such wallets are compared all together, every one
 * in its own units, and what is charged in a currency that no wallet names was paid by them. It still adds up to the
 * last unit.
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
