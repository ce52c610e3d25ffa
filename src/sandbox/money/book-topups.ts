import { minus } from '../parts/exact.ts';
import { endOf, isChargeReturned, phaseOf, type Topup } from './topup.ts';
import type { TopupParts } from './topup-parts.ts';

type BookingParts = Omit<TopupParts, 'clock' | 'random' | 'settings'>;

/** Books what is due at a time: top-ups that go into delivery, end, or are reversed. */
export function makeBooking(parts: BookingParts): (now: number) => void {
  const { store, events } = parts;
  function announceProcessing(now: number): void {
    const due = store.all<Topup>(
      'SELECT * FROM topups WHERE announced = 0 AND processing_at <= ? ORDER BY processing_at',
      now,
    );
    for (const topup of due) {
      store.run('UPDATE topups SET announced = 1 WHERE id = ?', topup.id);
      // A top-up that ends at once is never in delivery, and gets no such event (spec section 6.1).
      if (phaseOf(topup, topup.processing_at) === 'processing') events.moved(topup, 'processing', topup.processing_at);
    }
  }

  function bookEnds(now: number): void {
    const due = store.all<Topup>(
      'SELECT * FROM topups WHERE booked = 0 AND ends_at IS NOT NULL AND ends_at <= ? ORDER BY ends_at',
      now,
    );
    for (const topup of due) {
      const at = topup.ends_at ?? now;
      store.run('UPDATE topups SET booked = 1 WHERE id = ?', topup.id);
      if (isChargeReturned(endOf(topup))) returnCharge(parts, topup, 'given_back', at);
      events.moved({ ...topup, booked: 1 }, 'ended', at);
    }
  }

  function bookRefunds(now: number): void {
    const due = store.all<Topup>(
      'SELECT * FROM topups WHERE refunded = 0 AND refund_at IS NOT NULL AND refund_at <= ? ORDER BY refund_at',
      now,
    );
    for (const topup of due) {
      const at = topup.refund_at ?? now;
      if (topup.outcome === 'failed') {
        deliverAfterAll(parts, topup, at);
        continue;
      }
      store.run('UPDATE topups SET refunded = 1 WHERE id = ?', topup.id);
      returnCharge(parts, topup, 'refund', at);
      events.moved({ ...topup, refunded: 1 }, 'refunded', at);
    }
  }

  return (now) => {
    announceProcessing(now);
    bookEnds(now);
    bookRefunds(now);
  };
}

function returnCharge(
  { wallets, charges }: BookingParts,
  topup: Topup,
  why: 'given_back' | 'refund',
  at: number,
): void {
  wallets.move({ walletId: topup.wallet_id, amount: topup.cost, why, topupId: topup.id, at });
  if (why === 'refund') charges.refund(topup.id, at);
  else charges.returnCharge(topup.id, at);
}

/** Delivers a top-up that had failed, and charges it again. */
function deliverAfterAll({ store, wallets, charges, events }: BookingParts, topup: Topup, at: number): void {
  const { id, wallet_id: walletId, cost } = topup;
  store.run(
    `UPDATE topups SET outcome = 'completed', failure_reason = NULL, ends_at = ?, refund_at = NULL WHERE id = ?`,
    at,
    id,
  );
  wallets.move({ walletId, amount: minus('0', cost), why: 'charge', topupId: id, at });
  charges.takeAgain(id);
  events.moved({ ...topup, outcome: 'completed', failure_reason: null, ends_at: at, refund_at: null }, 'ended', at);
}
