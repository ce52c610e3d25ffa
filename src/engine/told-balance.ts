import type { Balance } from '../gateway/gateway.ts';

/** A reading of the balance as the audit chain keeps it: JSON of what each wallet held, by its id. Null where it was not read. */
export function toldBalance(balance: Balance | null): string | null {
  if (balance === null) return null;
  return JSON.stringify(Object.fromEntries(balance.wallets.map((wallet) => [wallet.walletId, wallet.balance])));
}
