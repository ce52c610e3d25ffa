import { unreachable } from '../../core/basics/assert.ts';
import { idempotencyKey, parseReference } from '../../core/identity/ids.ts';
import type { Money } from '../../core/money/money.ts';
import type { ServicePayment } from '../../gateway/contract/gateway.ts';
import { type RegisteredWebhook, readCallback, readRegisteredWebhook } from '../../gateway/webhooks/webhook-wire.ts';
import type { InboxEntry } from '../../ledger/accounts/webhook-inbox.ts';

/** The content of a webhook, in either signature scheme (spec section 6). */
export interface WebhookUpdate {
  /**
   * `open`: the service has the payment. `something`: the payment changed in a way that the spec does not describe.
   * `account`: the webhook is not about a payment.
   */
  says: 'open' | 'completed' | 'failed' | 'refunded' | 'something' | 'account';
  /** The service's own text: a status, or the type of the event. */
  verbatim: string;
  topupId: string | null;
  /** The idempotency key of the payment, if the payment is ours. */
  key: string | null;
  /** The run id in the payment's reference, if it has our format. */
  runId: string | null;
  /** What the wallet was charged, or given back if it says `refunded`. Null if the webhook does not say. */
  money: Money | null;
  /** When it happened, according to the service (epoch ms). */
  at: number | null;
  /** The whole payment, if the signature covers it (spec section 6.1). */
  payment: ServicePayment | null;
}

/** Reads an entry of the inbox; null if it matches no format of the spec. */
export function readWebhookUpdate({
  account,
  scheme,
  body,
}: Pick<InboxEntry, 'account' | 'scheme' | 'body'>): WebhookUpdate | null {
  if (body === null) return null;
  switch (scheme) {
    case 'callback': {
      const payment = readCallback(body);
      return payment && callbackUpdate(account, payment);
    }
    case 'registered': {
      const webhook = readRegisteredWebhook(body);
      return webhook && registeredUpdate(webhook);
    }
    default:
      return unreachable(scheme);
  }
}

/** The event's name is in an unsigned header (spec section 6.1), so the payment's own status decides. */
function callbackUpdate(account: string, payment: ServicePayment): WebhookUpdate {
  const named = payment.reference === null ? null : parseReference(payment.reference);
  return {
    says: payment.unknownStatus ? 'something' : payment.state,
    verbatim: payment.serviceStatus,
    topupId: payment.topupId,
    key: named && idempotencyKey({ account, ...named }),
    runId: named?.runId ?? null,
    money: payment.cost,
    at: payment.completedAt,
    payment,
  };
}

const registeredStatuses: Record<string, WebhookUpdate['says']> = {
  'transaction.completed': 'completed',
  'transaction.failed': 'failed',
  'transaction.pending': 'open',
  'transaction.refunded': 'refunded',
  'wallet.low_balance': 'account',
};

function registeredUpdate(webhook: RegisteredWebhook): WebhookUpdate {
  const { type, transactionId, idempotencyKey: key, sourceAmount, sourceCurrency } = webhook;
  const says = registeredStatuses[type] ?? (transactionId === null && key === null ? 'account' : 'something');
  // The spec does not show a refund's payload (section 6.2). It is read like the other payloads, so its amount is that
  // of the original charge.
  const hasMoney = sourceAmount !== null && sourceCurrency !== null;
  return {
    says,
    verbatim: type,
    topupId: transactionId,
    key,
    runId: null,
    money: hasMoney ? { value: sourceAmount, currency: sourceCurrency } : null,
    at: webhook.at,
    payment: null,
  };
}
