import type { Replies } from '../http/reply.ts';
import { findNetwork } from '../money/catalog.ts';
import type { Topup, TopupEvents } from '../money/topup.ts';
import type { Wallet } from '../money/wallets.ts';
import { exactNumber } from '../parts/exact.ts';
import type { SandboxRandom } from '../parts/random.ts';
import type { Store } from '../parts/store.ts';
import { iso, singleView, v2StatusOf } from '../v2/v2-views.ts';

/** The two kinds of webhooks in spec section 6; both are sent if both were requested. */
export type Scheme = 'callback' | 'registered';

export interface NewDelivery {
  id: string;
  scheme: Scheme;
  company: string;
  event: string;
  topup_id: string | null;
  url: string;
  /** The key that signs the body: the API key (callback) or the secret of the registered webhook. */
  signing_key: string;
  body: string;
  created_at: number;
}

interface RegisteredWebhook {
  id: string;
  company: string;
  url: string;
  events: string;
  secret: string;
}

/** The event of each change of a top-up, by scheme. Callbacks have no counterpart to `transaction.pending`. */
function eventOf(scheme: Scheme, topup: Topup, to: 'created' | 'processing' | 'ended' | 'refunded'): string | null {
  const isCompleted = topup.outcome === 'completed';
  if (scheme === 'callback') {
    if (to === 'processing') return 'topup.processing';
    if (to === 'ended') return isCompleted ? 'topup.completed' : 'topup.failed';
    return null;
  }
  if (to === 'created') return 'transaction.pending';
  if (to === 'ended') return isCompleted ? 'transaction.completed' : 'transaction.failed';
  return to === 'refunded' ? 'transaction.refunded' : null;
}

/** Turns changes into deliveries, within the same transaction. Version 1 sends no events (spec section 6). */
export function makeWebhookEvents(
  { store, random, replies }: { store: Store; random: SandboxRandom; replies: Replies },
  enqueue: (delivery: NewDelivery) => void,
): TopupEvents {
  const registered = (company: string, event: string) =>
    store
      .all<RegisteredWebhook>('SELECT * FROM webhooks WHERE company = ?', company)
      .filter(({ events }) => (JSON.parse(events) as string[]).includes(event));

  function sendRegistered(company: string, event: string, topupId: string | null, at: number, data: object): void {
    for (const { url, secret } of registered(company, event)) {
      const id = random.uuid();
      const body = JSON.stringify({ id, type: event, timestamp: iso(at), data });
      enqueue({
        id,
        scheme: 'registered',
        company,
        event,
        topup_id: topupId,
        url,
        signing_key: secret,
        body,
        created_at: at,
      });
    }
  }

  return {
    moved(topup, to, at) {
      if (topup.version === 'v1') return;
      const callback = eventOf('callback', topup, to);
      if (callback !== null && topup.callback_url !== null) {
        const body = JSON.stringify({ success: true, data: singleView(topup, at), meta: replies.meta() });
        enqueue({
          id: random.uuid(),
          scheme: 'callback',
          company: topup.company,
          event: callback,
          topup_id: topup.id,
          url: topup.callback_url,
          signing_key: topup.api_key ?? '',
          body,
          created_at: at,
        });
      }
      const event = eventOf('registered', topup, to);
      if (event !== null) sendRegistered(topup.company, event, topup.id, at, transactionView(topup, to, at));
    },
    walletLow(wallet, at) {
      if (wallet.version === 'v2') sendRegistered(wallet.company, 'wallet.low_balance', null, at, lowView(wallet));
    },
  };
}

/**
 * The `data` of spec section 6.2. The spec does not show it for pending and refunded transactions: the sandbox uses the
 * same.
 */
function transactionView(topup: Topup, to: 'created' | 'processing' | 'ended' | 'refunded', at: number) {
  const network = findNetwork(topup.network_id);
  return {
    transactionId: topup.id,
    status: to === 'refunded' ? 'refunded' : v2StatusOf(topup, at),
    recipient: {
      phoneNumber: topup.phone_number,
      network: network?.name ?? '',
      country: network?.country.name ?? '',
    },
    product: {
      type: topup.product_id === null ? 'airtime' : 'bundle',
      localAmount: exactNumber(topup.amount),
      currency: topup.currency,
    },
    sourceAmount: exactNumber(topup.cost),
    sourceCurrency: topup.cost_currency,
    idempotencyKey: topup.idempotency_key ?? '',
    ...(to === 'created' || topup.ends_at === null ? {} : { completedAt: iso(topup.ends_at) }),
  };
}

const lowView = ({ id, currency, balance, low_balance }: Wallet) => ({
  walletId: id,
  currency,
  balance: exactNumber(balance),
  threshold: exactNumber(low_balance ?? '0'),
});
