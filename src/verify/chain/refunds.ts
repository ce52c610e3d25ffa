/** A refund. */
export interface Refund {
  /** Epoch ms; null if the chain, of an old program version, does not say. */
  at: number | null;
  /** The service's id of the payment; null if it named none. */
  topupId: string | null;
  /** Null if the service named no amount; 'cost' if the refund showed in a cost of zero. */
  amount: string | null;
  currency: string;
}

/** The refund in an event: the service reported it, or a payment that was read again costs nothing any more. */
export function refundIn(kind: string, at: number, data: Record<string, unknown>): Refund | null {
  const { amount, currency, cost, service_status, refunded_at } = data;
  const topupId = typeof data.topup_id === 'string' ? data.topup_id : null;
  if (kind === 'row.refund') {
    return {
      at: typeof refunded_at === 'number' ? refunded_at : null,
      topupId,
      amount: typeof amount === 'string' ? amount : null,
      currency: typeof currency === 'string' ? currency : '',
    };
  }
  const isPaid = service_status === 'completed' || service_status === 'SUCCESS';
  const isGone = kind === 'row.changed_late' && isPaid && typeof cost === 'string' && /^0+(\.0+)?$/.test(cost);
  return isGone ? { at, topupId, amount: 'cost', currency: '' } : null;
}
