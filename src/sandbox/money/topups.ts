import { makeBooking } from './book-topups.ts';
import { convert } from './catalog.ts';
import { createTopup } from './create-topup.ts';
import type { Topup, TopupOrder } from './topup.ts';
import type { TopupParts } from './topup-parts.ts';
import type { Wallet } from './wallets.ts';

export interface Topups {
  /** The cost of an order in the wallet's currency. */
  costOf(amount: string, currency: string, wallet: Wallet): string;
  /** Debits the wallet and creates the top-up. */
  create(order: TopupOrder): Topup;
  find(id: string): Topup | null;
  /** Books everything that is due by now. */
  settleDue(): void;
  /** When something is due next (epoch milliseconds); null if nothing is. */
  nextDueAt(): number | null;
}

export function makeTopups(parts: TopupParts): Topups {
  const { store, clock } = parts;
  const book = makeBooking(parts);
  const nextOf = (sql: string) => store.one<{ at: number | null }>(sql)?.at ?? null;
  const nextDueAt = () => {
    const times = [
      nextOf('SELECT min(processing_at) AS at FROM topups WHERE announced = 0'),
      nextOf('SELECT min(ends_at) AS at FROM topups WHERE booked = 0 AND ends_at IS NOT NULL'),
      nextOf('SELECT min(refund_at) AS at FROM topups WHERE refunded = 0 AND refund_at IS NOT NULL'),
    ].filter((at) => at !== null);
    return times.length > 0 ? Math.min(...times) : null;
  };

  return {
    costOf: (amount, currency, wallet) => convert(amount, currency, wallet.currency),
    create: (order) => createTopup(parts, order),
    find: (id) => store.one<Topup>('SELECT * FROM topups WHERE id = ?', id),
    settleDue() {
      const now = clock.now();
      const next = nextDueAt();
      if (next === null || next > now) return;
      store.atomically(() => book(now));
    },
    nextDueAt,
  };
}
