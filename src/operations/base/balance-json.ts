import { isoTime } from '../../core/time/clock.ts';
import type { Balance } from '../../gateway/contract/gateway.ts';

/** A balance in JSON. */
export function balanceJson({ total, wallets, readAt }: Balance) {
  return {
    total,
    wallets: wallets.map(({ walletId, name, currency, balance, active }) => ({
      wallet_id: walletId,
      name,
      currency,
      balance,
      active,
    })),
    read_at: isoTime(readAt),
  };
}
