/** A charge that the chain records and that is in no row's cost. */
export interface LateCharge {
  topupId: unknown;
  cost: string;
  currency: string;
  /** Epoch ms. If the service did not say when it charged it: when that was seen. */
  at: number;
  /** If the service did not say when it charged it: the earliest time at which it can have done so (epoch ms). */
  from: number | null;
  /** The first refund of it, in its currency; null if there is none. */
  refund: { at: number; amount: string } | null;
}

/**
 * The late charges of rows: of payments that had failed, second payments, and costs that changed later. Few rows have
 * one.
 */
export function makeLateCharges() {
  const rows = new Map<number, LateCharge[]>();
  const lateOf = (rowNo: number): readonly LateCharge[] => rows.get(rowNo) ?? [];
  return {
    lateOf,
    note(rowNo: number, kind: string, data: Record<string, unknown>): void {
      const known = lateOf(rowNo).find(({ topupId }) => topupId === data.topup_id);
      if (kind === 'row.late_charge') {
        const { topup_id: topupId, cost, cost_currency: currency, charged_at: at } = data;
        const from = typeof data.charged_from === 'number' ? data.charged_from : null;
        const charge = { topupId, cost: String(cost), currency: String(currency), at: Number(at), from };
        const others = lateOf(rowNo).filter((one) => one !== known);
        rows.set(rowNo, [...others, { ...charge, refund: known?.refund ?? null }]);
      }
      const { amount, currency, refunded_at: at } = data;
      if (kind !== 'row.refund' || known === undefined || typeof amount !== 'string' || typeof at !== 'number') return;
      if (currency === known.currency) known.refund ??= { at, amount };
    },
  };
}
