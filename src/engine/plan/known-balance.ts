import type { Balance } from '../../gateway/contract/gateway.ts';
import type { EventData } from '../../ledger/audit/events.ts';

/** A reading of the balance as the audit chain keeps it; null where it was not read. */
export function balanceEventData(balance: Balance | null): EventData {
  return { balance: balanceEventText(balance), balance_read_at: balance?.readAt ?? null };
}

/** JSON of what each wallet held, by its id. */
export function balanceEventText(balance: Balance | null): string | null {
  if (balance === null) return null;
  return JSON.stringify(Object.fromEntries(balance.wallets.map((wallet) => [wallet.walletId, wallet.balance])));
}
