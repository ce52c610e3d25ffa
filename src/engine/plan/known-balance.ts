import type { Balance } from '../../gateway/contract/gateway.ts';
import type { EventData } from '../../ledger/audit/events.ts';

/** A balance in the form of the audit chain; null if it was not read. */
export function balanceEventData(balance: Balance | null): EventData {
  return { balance: balanceEventText(balance), balance_read_at: balance?.readAt ?? null };
}

/** The amount in each wallet as JSON, by wallet id. */
export function balanceEventText(balance: Balance | null): string | null {
  if (balance === null) return null;
  return JSON.stringify(Object.fromEntries(balance.wallets.map((wallet) => [wallet.walletId, wallet.balance])));
}
