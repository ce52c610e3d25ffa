import { ExactSums, lesser, rest } from '../input/decimal.ts';

/** A payment that failed and was charged nevertheless. */
interface Kept {
  topupId: unknown;
  /** How often the row had been retried before. */
  retries: number;
  cost: string;
  currency: string;
}

/** A refund that the service reported. */
interface MoneyUpdate {
  /** Null if the service named no payment: then it is the one that the row had at the time. */
  topupId: unknown;
  retries: number;
  /** Epoch milliseconds. */
  at: number;
  currency: unknown;
  /** How much of a cost the refund covers. */
  backOf(cost: string): string;
}

interface RowMoney {
  retries: number;
  kept: Kept[];
  updates: MoneyUpdate[];
}

/** The charges of payments that failed, according to the chain. Few cost anything, so little memory is needed. */
export interface FailedCharges {
  /** Counts an event of a row; `at`: epoch milliseconds. */
  note(rowNo: number, kind: string, at: number, data: Record<string, unknown>): void;
  /** What was charged for payments whose rows were sent again since. */
  earlier(): ExactSums;
  /** The refunds of those. */
  earlierRefunds(): ExactSums;
  /** The refunds of all failed payments, up to a time (epoch milliseconds). */
  refundedBy(until: number): ExactSums;
}

export function makeFailedCharges(): FailedCharges {
  const rows = new Map<number, RowMoney>();
  const rowOf = (rowNo: number): RowMoney => {
    const row = rows.get(rowNo) ?? { retries: 0, kept: [], updates: [] };
    rows.set(rowNo, row);
    return row;
  };
  const sumUp = (
    isMeant: (payment: Kept, row: RowMoney) => boolean,
    amountOf: (payment: Kept, row: RowMoney) => string,
  ) => {
    const sums = new ExactSums();
    for (const row of rows.values())
      for (const payment of row.kept) if (isMeant(payment, row)) sums.add(payment.currency, amountOf(payment, row));
    return sums;
  };
  const isEarlier = (payment: Kept, row: RowMoney) => payment.retries < row.retries;
  return {
    note(rowNo, kind, at, data) {
      if (kind === 'row.retry') {
        rowOf(rowNo).retries += 1;
        return;
      }
      const { topup_id: topupId = null, cost, cost_currency: currency, amount } = data;
      const retries = rows.get(rowNo)?.retries ?? 0;
      if (kind === 'row.fail' && typeof cost === 'string' && typeof currency === 'string' && !/^0+(\.0+)?$/.test(cost))
        rowOf(rowNo).kept.push({ topupId, retries, cost, currency });
      if (kind === 'row.refund' && typeof amount === 'string') {
        const when = typeof data.refunded_at === 'number' ? data.refunded_at : at;
        const backOf = (charged: string) => lesser(amount, charged);
        rowOf(rowNo).updates.push({ topupId, retries, at: when, currency: data.currency, backOf });
      }
      if (kind === 'row.changed_late' && typeof cost === 'string')
        rowOf(rowNo).updates.push({ topupId, retries, at, currency, backOf: (charged) => rest(charged, cost) });
    },
    earlier: () => sumUp(isEarlier, ({ cost }) => cost),
    earlierRefunds: () => sumUp(isEarlier, (payment, { updates }) => mostOf(payment, updates)),
    refundedBy: (until) =>
      sumUp(
        () => true,
        (payment, { updates }) =>
          mostOf(
            payment,
            updates.filter(({ at }) => at <= until),
          ),
      ),
  };
}

/** Several events may be about the same refund: the largest one counts. */
function mostOf(payment: Kept, updates: readonly MoneyUpdate[]): string {
  let most = '0';
  for (const { topupId, retries, currency, backOf } of updates) {
    const isOwn = topupId === null ? retries === payment.retries : topupId === payment.topupId;
    const back = isOwn && currency === payment.currency ? backOf(payment.cost) : '0';
    if (lesser(most, back) === most) most = back;
  }
  return most;
}
