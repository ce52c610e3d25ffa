import type { SandboxClock } from '../parts/clock.ts';
import { minus } from '../parts/exact.ts';
import { type MagicName, magicOf } from '../parts/magic.ts';
import type { Settings } from '../parts/options.ts';
import type { SandboxRandom } from '../parts/random.ts';
import type { Store } from '../parts/store.ts';
import { convert } from './catalog.ts';
import type { ChargeLog } from './charges.ts';
import { endOf, isGivenBack, type Outcome, phaseOf, type Topup, type TopupEvents, type TopupOrder } from './topup.ts';
import type { Wallet, Wallets } from './wallets.ts';

export interface Topups {
  /** What an order would cost in the wallet's currency. */
  costOf(amount: string, currency: string, wallet: Wallet): string;
  /** Debits the wallet and takes the order. */
  create(order: TopupOrder): Topup;
  find(id: string): Topup | null;
  /** Books everything that has come to pass by now. */
  settleDue(): void;
  /** When something will come to pass next, epoch milliseconds; null: nothing. */
  nextDueAt(): number | null;
}

/** V1: a pending transaction is terminal after about 12 minutes at the latest (spec section 3.2). */
const v1TerminalMs = 12 * 60_000;
const slowMs = 30_000;
const takenBackAfterMs = 60_000;

const failureReasons: Readonly<Record<Outcome, string | null>> = {
  completed: null,
  stuck: null,
  failed: 'The operator declined the top-up.',
  timeout: 'The operator did not answer.',
  underlivered: 'The operator delivered less than was asked for.',
  canceled: 'The operator cancelled the top-up.',
};

const endings: Partial<Record<MagicName, Outcome>> = {
  declined: 'failed',
  reversed: 'failed',
  timeout: 'timeout',
  underlivered: 'underlivered',
  canceled: 'canceled',
};

export interface TopupParts {
  store: Store;
  clock: SandboxClock;
  random: SandboxRandom;
  settings: Settings;
  wallets: Wallets;
  charges: ChargeLog;
  events: TopupEvents;
}

export function makeTopups({ store, clock, random, settings, wallets, charges, events }: TopupParts): Topups {
  const find = (id: string) => store.one<Topup>('SELECT * FROM topups WHERE id = ?', id);

  function create(order: TopupOrder): Topup {
    const now = clock.now();
    const { wallet, amount } = order;
    const { currency } = order.network.country;
    const cost = convert(amount, currency, wallet.currency);
    const course = courseOf(order, now);
    const topup: Topup = {
      id: random.uuid(),
      version: order.version,
      company: order.company,
      api_key: order.apiKey,
      idempotency_key: order.idempotencyKey,
      phone_number: order.phoneNumber,
      network_id: order.network.id,
      amount,
      currency,
      cost,
      cost_currency: wallet.currency,
      cost_usd: convert(amount, currency, 'USD'),
      wallet_id: wallet.id,
      strategy: order.strategy,
      product_id: order.product?.id ?? null,
      sms: order.sms,
      reference: order.reference,
      callback_url: order.callbackUrl,
      metadata: order.metadata,
      ...course,
      failure_reason: failureReasons[course.outcome],
      provider_reference: `OP${random.uuid().slice(0, 8).toUpperCase()}`,
      created_at: now,
      announced: 0,
      booked: 0,
      refunded: 0,
    };
    return store.atomically(() => {
      store.insert('topups', topup);
      const low = wallets.move({
        walletId: wallet.id,
        amount: minus('0', cost),
        why: 'charge',
        topupId: topup.id,
        at: now,
      });
      charges.record({
        topupId: topup.id,
        company: topup.company,
        reference: topup.reference,
        idempotencyKey: topup.idempotency_key,
        phoneNumber: topup.phone_number,
        amount,
        currency,
        cost,
        costCurrency: wallet.currency,
        at: now,
      });
      events.moved(topup, 'created', now);
      if (low) events.walletLow(low, now);
      return topup;
    });
  }

  /** When it will be in delivery, when it will end and how. */
  function courseOf({ phoneNumber, version }: TopupOrder, now: number) {
    const magic = magicOf(phoneNumber);
    let outcome: Outcome = magic === null ? 'completed' : (endings[magic] ?? 'completed');
    let takesMs = Math.round(settings.settleMs * (0.5 + random.fraction() / 2));
    if (magic === 'slow') takesMs = slowMs;
    if (outcome === 'timeout') takesMs = v1TerminalMs;
    if (magic === 'stuck' && version === 'v1') {
      outcome = 'timeout';
      takesMs = v1TerminalMs;
    } else if (magic === 'stuck') {
      outcome = 'stuck';
    }
    const isTakenBack = magic === 'refunded' || magic === 'reversed';
    const endsAt = outcome === 'stuck' ? null : now + takesMs;
    return {
      outcome,
      processing_at: now + Math.floor(Math.min(takesMs, settings.settleMs) / 3),
      ends_at: endsAt,
      refund_at: isTakenBack && endsAt !== null ? endsAt + takenBackAfterMs : null,
    };
  }

  function giveBack(topup: Topup, why: 'given_back' | 'refund', at: number): void {
    wallets.move({ walletId: topup.wallet_id, amount: topup.cost, why, topupId: topup.id, at });
    if (why === 'refund') charges.refund(topup.id, at);
    else charges.giveBack(topup.id, at);
  }

  function announceProcessing(now: number): void {
    const due = store.all<Topup>(
      'SELECT * FROM topups WHERE announced = 0 AND processing_at <= ? ORDER BY processing_at',
      now,
    );
    for (const topup of due) {
      store.run('UPDATE topups SET announced = 1 WHERE id = ?', topup.id);
      // One that ends at once is never in delivery, which is what the event says (spec section 6.1).
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
      if (isGivenBack(endOf(topup))) giveBack(topup, 'given_back', at);
      events.moved({ ...topup, booked: 1 }, 'ended', at);
    }
  }

  /** What had failed is delivered, and charged once more. */
  function deliverAfterAll(topup: Topup, at: number): void {
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

  function bookRefunds(now: number): void {
    const due = store.all<Topup>(
      'SELECT * FROM topups WHERE refunded = 0 AND refund_at IS NOT NULL AND refund_at <= ? ORDER BY refund_at',
      now,
    );
    for (const topup of due) {
      const at = topup.refund_at ?? now;
      if (topup.outcome === 'failed') {
        deliverAfterAll(topup, at);
        continue;
      }
      store.run('UPDATE topups SET refunded = 1 WHERE id = ?', topup.id);
      giveBack(topup, 'refund', at);
      events.moved({ ...topup, refunded: 1 }, 'refunded', at);
    }
  }

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
    create,
    find,
    settleDue() {
      const now = clock.now();
      const next = nextDueAt();
      if (next === null || next > now) return;
      store.atomically(() => {
        announceProcessing(now);
        bookEnds(now);
        bookRefunds(now);
      });
    },
    nextDueAt,
  };
}
