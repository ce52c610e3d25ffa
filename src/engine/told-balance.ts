import type { Balance } from '../gateway/gateway.ts';
import type { EventData } from '../ledger/events.ts';

/** A reading of the balance as the audit chain keeps it; null where it was not read. */
export function toldReading(balance: Balance | null): EventData {
  return { balance: toldBalance(balance), balance_read_at: balance?.readAt ?? null };
}

/** JSON of what each wallet held, by its id. */
export function toldBalance(balance: Balance | null): string | null {
  if (balance === null) return null;
  return JSON.stringify(Object.fromEntries(balance.wallets.map((wallet) => [wallet.walletId, wallet.balance])));
}
