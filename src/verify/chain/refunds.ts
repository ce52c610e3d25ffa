/** Money that was given back. */
export interface Refund {
  /** Epoch ms; null where chains of before do not tell it. */
  at: number | null;
  /** The service's id of the payment; null where it named none. */
  topupId: string | null;
  /** Null where the service did not say how much; 'cost' where it was seen as a cost that is gone. */
  amount: string | null;
  currency: string;
}

/**
 * Whether an event tells of money given back: by the service's own word, or by a payment that was read again and costs
 * nothing now.
 */
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
