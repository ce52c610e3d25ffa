import { unreachable } from '../core/assert.ts';
import { idempotencyKey, parseReference } from '../core/ids.ts';
import type { Money } from '../core/money.ts';
import type { ServicePayment } from '../gateway/gateway.ts';
import { type RegisteredWebhook, readCallback, readRegisteredWebhook } from '../gateway/webhook-wire.ts';
import type { InboxEntry } from '../ledger/inbox.ts';

/** What a webhook says, whichever scheme it came by. */
export interface HintWord {
  /**
   * `open`: the service has the payment. `something`: the payment is not as it was, in a way that the specification does not
   * name. `account`: it speaks of no payment at all.
   */
  says: 'open' | 'completed' | 'failed' | 'refunded' | 'something' | 'account';
  /** The service's own word: a status, or the type of the event. */
  verbatim: string;
  topupId: string | null;
  /** The idempotency key of the payment, as it would be if the payment is ours. */
  key: string | null;
  /** The run id in the payment's reference, where it is made like one of ours. */
  runId: string | null;
  /** What was given back, where it says. */
  refund: Money | null;
  /** When the service says that it happened, epoch milliseconds. */
  at: number | null;
  /** The whole payment, where the signature covers it (spec section 6.1). */
  payment: ServicePayment | null;
}

/** Reads an entry of the inbox; null where it has no shape that the specification shows. */
export function readHint({ account, scheme, body }: Pick<InboxEntry, 'account' | 'scheme' | 'body'>): HintWord | null {
  if (body === null) return null;
  switch (scheme) {
    case 'callback': {
      const payment = readCallback(body);
      return payment && callbackWord(account, payment);
    }
    case 'registered': {
      const webhook = readRegisteredWebhook(body);
      return webhook && registeredWord(webhook);
    }
    default:
      return unreachable(scheme);
  }
}

/** The event's name stands in a header that is not signed (spec section 6.1): the payment's own status is what counts. */
function callbackWord(account: string, payment: ServicePayment): HintWord {
  const named = payment.reference === null ? null : parseReference(payment.reference);
  return {
    says: payment.unknownStatus ? 'something' : payment.state,
    verbatim: payment.serviceStatus,
    topupId: payment.topupId,
    key: named && idempotencyKey({ account, ...named }),
    runId: named?.runId ?? null,
    refund: null,
    at: payment.completedAt,
    payment,
  };
}

const registeredWords: Record<string, HintWord['says']> = {
  'transaction.completed': 'completed',
  'transaction.failed': 'failed',
  'transaction.pending': 'open',
  'transaction.refunded': 'refunded',
  'wallet.low_balance': 'account',
};

function registeredWord(webhook: RegisteredWebhook): HintWord {
  const { type, transactionId, idempotencyKey: key, sourceAmount, sourceCurrency } = webhook;
  const says = registeredWords[type] ?? (transactionId === null && key === null ? 'account' : 'something');
  // The payload of a refund is not shown (spec section 6.2): read like the others, its amount is what had been charged.
  const given = says === 'refunded' && sourceAmount !== null && sourceCurrency !== null;
  return {
    says,
    verbatim: type,
    topupId: transactionId,
    key,
    runId: null,
    refund: given ? { value: sourceAmount, currency: sourceCurrency } : null,
    at: webhook.at,
    payment: null,
  };
}
