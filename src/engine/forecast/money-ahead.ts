import { compareAmounts, subtractAmounts } from '../../core/money/money.ts';

/** Past spending is expected to repeat after this long: most payouts are monthly. */
export const cycleMs = 30 * 86_400_000;

/** A forecast further ahead than this is none. */
const aheadMsMax = 365 * 86_400_000;

/** What an account still pays from the wallets of one currency. Costs are decimals; times are epoch ms. */
export interface MoneyAhead {
  balance: string;
  /** Batches that are being sent, in any order; `sentAt` is when the last row is sent, null if unknown. */
  queue: readonly { cost: string; sentAt: number | null }[];
  /** What was spent during the last cycle. */
  spent: readonly { cost: string; at: number }[];
}

/** When the money runs out: during the queue, or later if the coming cycles cost as much as the last one. */
export interface MoneyEnd {
  /** Null if it lasts, or if it is unknown when the queue is sent. */
  at: number | null;
  by: 'queue' | 'usual_spending' | null;
}

export function moneyEnd({ balance, queue, spent }: MoneyAhead, now: number): MoneyEnd {
  let left = balance;
  let from: number | null = now;
  for (const { cost, sentAt } of queue.toSorted((a, b) => (a.sentAt ?? Infinity) - (b.sentAt ?? Infinity))) {
    if (compareAmounts(left, cost) < 0) return { at: within(from, sentAt, Number(left) / Number(cost)), by: 'queue' };
    left = subtractAmounts(left, cost);
    from = sentAt;
  }
  const again = spent.filter(({ cost }) => compareAmounts(cost, '0') > 0).toSorted((a, b) => a.at - b.at);
  for (let aheadMs = cycleMs; aheadMs <= aheadMsMax; aheadMs += cycleMs)
    for (const { cost, at } of again) {
      if (compareAmounts(left, cost) < 0) return { at: at + aheadMs, by: 'usual_spending' };
      left = subtractAmounts(left, cost);
    }
  return { at: null, by: null };
}

/** The time at this share of a span; null if the span is not known. */
function within(from: number | null, to: number | null, share: number): number | null {
  return from === null || to === null ? null : Math.round(from + (to - from) * share);
}
