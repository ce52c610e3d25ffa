import { minus } from '../parts/exact.ts';
import { type MagicName, magicOf } from '../parts/magic.ts';
import { convert } from './catalog.ts';
import type { Outcome, Topup, TopupOrder } from './topup.ts';
import type { TopupParts } from './topup-parts.ts';

/** V1: a pending transaction ends after about 12 minutes at the latest (spec section 3.2). */
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

/** Debits the wallet and creates the top-up. */
export function createTopup(parts: TopupParts, order: TopupOrder): Topup {
  const { store, clock, wallets, charges, events } = parts;
  const now = clock.now();
  const { wallet } = order;
  const cost = convert(order.amount, order.network.country.currency, wallet.currency);
  const topup = topupOf(parts, order, cost, now);
  return store.atomically(() => {
    store.insert('topups', topup);
    const low = wallets.move({
      walletId: wallet.id,
      amount: minus('0', cost),
      why: 'charge',
      topupId: topup.id,
      at: now,
    });
    charges.record(topup);
    events.moved(topup, 'created', now);
    if (low) events.walletLow(low, now);
    return topup;
  });
}

function topupOf({ random, settings }: TopupParts, order: TopupOrder, cost: string, now: number): Topup {
  const { wallet, amount } = order;
  const { currency } = order.network.country;
  const course = courseOf(order, now, { random, settings });
  return {
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
}

/** When it goes into delivery, when it ends, and how. */
function courseOf(
  { phoneNumber, version }: TopupOrder,
  now: number,
  { random, settings }: Pick<TopupParts, 'random' | 'settings'>,
) {
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
