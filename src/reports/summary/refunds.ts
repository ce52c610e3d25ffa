import { compareAmounts, Sums, subtractAmounts } from '../../core/money/money.ts';
import { type AuditEvent, pageChargeEvents, pageRetriedCharges } from '../../ledger/audit/events.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { balanceAfter } from './stored.ts';

/** What came back of that which payments that failed had been charged, in the wallets' currencies. */
export interface Refunds {
  /** Of the payments whose rows were sent again since, whenever it came. */
  earlier: Sums;
  /**
   * Of all that failed, by the time at which the wallets were read for the second time: it is in what they held then.
   */
  byReading: Sums;
}

/** A payment that failed and was charged all the same. */
interface Kept {
  topupId: string | null;
  /** How often the row had been retried before. */
  retries: number;
  cost: string;
  currency: string;
  /** Epoch ms: when the service took it, where that was read, else when it was seen to have failed. */
  chargedAt: number;
}

/** The service tells that money of a payment came back. */
interface MoneyUpdate {
  /** Null where the service named none: then it is the payment that the row had at the time. */
  topupId: string | null;
  retries: number;
  /** Epoch ms: when it came back, where the service says that, else when it was seen. */
  at: number;
  currency: string | null;
  /** How much of a charge that is. */
  backOf(cost: string): string;
}

interface RowMoney {
  retries: number;
  /** Epoch ms: when the service took the payment that the row has now. */
  acceptedAt: number | null;
  kept: Kept[];
  updates: MoneyUpdate[];
}

/** Events read at once. */
const eventsPerPage = 2_000;

/**
 * Reads from a batch's history what came back of its failed payments. A row forgets what an earlier payment was
 * charged when it is sent again; its history does not. What the service never told is in no sum.
 */
export async function refundsOfFailed(view: Queryable, batch: BatchRecord): Promise<Refunds> {
  const rows = await readMoney(view, batch.batch_id, pageChargeEvents);
  const readAt = balanceAfter(batch)?.readAt ?? null;
  const back: Refunds = { earlier: new Sums(), byReading: new Sums() };
  for (const { retries, kept, updates } of rows.values()) {
    for (const payment of kept) {
      const own = updates.filter((update) => isOf(update, payment));
      if (payment.retries < retries) addBack(back.earlier, payment, own);
      if (readAt !== null)
        addBack(
          back.byReading,
          payment,
          own.filter(({ at }) => at <= readAt),
        );
    }
  }
  return back;
}

/**
 * What payments of a batch's rows that were tried again since were charged between `fromMs` and `toMs` (epoch ms),
 * less what came back then of such payments, whenever they were charged.
 */
export async function earlierBetween(
  view: Queryable,
  batchId: string,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<Sums> {
  const sums = new Sums();
  const [before, by] = [new Sums(), new Sums()];
  for (const { retries, kept, updates } of (await readMoney(view, batchId, pageRetriedCharges)).values()) {
    for (const payment of kept) {
      if (payment.retries === retries) continue;
      if (payment.chargedAt >= fromMs && payment.chargedAt <= toMs) sums.add(payment.currency, payment.cost);
      const upTo = (isThen: (at: number) => boolean) =>
        updates.filter((update) => isOf(update, payment) && isThen(update.at));
      addBack(
        before,
        payment,
        upTo((at) => at < fromMs),
      );
      addBack(
        by,
        payment,
        upTo((at) => at <= toMs),
      );
    }
  }
  for (const [currency, amount] of Object.entries(before.toObject())) sums.add(currency, amount);
  for (const [currency, amount] of Object.entries(by.toObject())) sums.add(currency, subtractAmounts('0', amount));
  return sums;
}

async function readMoney(
  view: Queryable,
  batchId: string,
  pageOf: typeof pageChargeEvents,
): Promise<Map<number, RowMoney>> {
  const rows = new Map<number, RowMoney>();
  for (let after = 0; ; ) {
    const page = await pageOf(view, batchId, after, eventsPerPage);
    for (const event of page) if (event.row_no !== null) noteEvent(rows, event.row_no, event);
    const last = page.at(-1);
    if (!last) return rows;
    after = last.seq;
  }
}

/** What of a charge came back by a refund of `amount`, in the same currency: never more than was charged. */
export function backOf(cost: string, amount: string): string {
  return compareAmounts(amount, cost) < 0 ? amount : cost;
}

function noteEvent(rows: Map<number, RowMoney>, rowNo: number, { kind, at, body }: AuditEvent): void {
  const data = JSON.parse(body) as Record<string, unknown>;
  const known = rows.get(rowNo);
  const row = known ?? { retries: 0, acceptedAt: null, kept: [], updates: [] };
  const [topupId, cost, currency] = [text(data.topup_id), text(data.cost), text(data.cost_currency)];
  const { retries } = row;
  if (kind === 'row.retry') {
    row.retries += 1;
    row.acceptedAt = null;
  } else if (kind === 'row.accept') row.acceptedAt = at;
  else if (kind === 'row.fail') {
    if (cost === null || currency === null || compareAmounts(cost, '0') === 0) return;
    row.kept.push({ topupId, retries, cost, currency, chargedAt: row.acceptedAt ?? at });
  } else if (kind === 'row.refund') {
    const [amount, given] = [text(data.amount), data.refunded_at];
    if (amount === null) return;
    const when = typeof given === 'number' ? given : at;
    const back = (charged: string) => backOf(charged, amount);
    row.updates.push({ topupId, retries, at: when, currency: text(data.currency), backOf: back });
  } else if (cost !== null) {
    row.updates.push({ topupId, retries, at, currency, backOf: (charged) => subtractAmounts(charged, cost) });
  }
  if (!known) rows.set(rowNo, row);
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function isOf(update: MoneyUpdate, payment: Kept): boolean {
  return update.topupId === null ? update.retries === payment.retries : update.topupId === payment.topupId;
}

/** Several words may tell of the same money: what came back is the most that one of them tells. */
function addBack(sums: Sums, { cost, currency }: Kept, updates: readonly MoneyUpdate[]): void {
  let most = '0';
  for (const update of updates) {
    const back = update.currency === currency ? update.backOf(cost) : '0';
    if (compareAmounts(back, most) > 0) most = back;
  }
  if (most !== '0') sums.add(currency, most);
}
