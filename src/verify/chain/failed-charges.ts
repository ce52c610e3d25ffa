import { ExactSums, lesser, rest } from '../input/decimal.ts';

/** A payment that failed and was charged all the same. */
interface Kept {
  topupId: unknown;
  /** How often the row had been retried before. */
  retries: number;
  cost: string;
  currency: string;
}

/** The service tells that money came back. */
interface MoneyUpdate {
  /** Null where the service named none: then it is the payment that the row had at the time. */
  topupId: unknown;
  retries: number;
  /** Epoch milliseconds. */
  at: number;
  currency: unknown;
  /** How much of a cost that is. */
  backOf(cost: string): string;
}

interface RowMoney {
  retries: number;
  kept: Kept[];
  updates: MoneyUpdate[];
}

/** What the chain says of the money of payments that failed. Few cost anything, so that not much is held. */
export interface FailedCharges {
  /** Takes down what an event of a row tells of it; `at`: epoch milliseconds. */
  note(rowNo: number, kind: string, at: number, data: Record<string, unknown>): void;
  /** What was charged for payments whose rows were sent again since. */
  earlier(): ExactSums;
  /** What of that came back. */
  earlierBack(): ExactSums;
  /** What came back of all that failed, up to a time (epoch milliseconds). */
  backBy(until: number): ExactSums;
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
    earlierBack: () => sumUp(isEarlier, (payment, { updates }) => mostOf(payment, updates)),
    backBy: (until) =>
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

/** Several words may tell of the same money: what came back is the most that one of them tells. */
function mostOf(payment: Kept, updates: readonly MoneyUpdate[]): string {
  let most = '0';
  for (const { topupId, retries, currency, backOf } of updates) {
    const isOwn = topupId === null ? retries === payment.retries : topupId === payment.topupId;
    const back = isOwn && currency === payment.currency ? backOf(payment.cost) : '0';
    if (lesser(most, back) === most) most = back;
  }
  return most;
}
