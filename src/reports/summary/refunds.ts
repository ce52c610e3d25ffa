import { pagesOf } from '../../core/basics/pages.ts';
import { compareAmounts, Sums, subtractAmounts } from '../../core/money/money.ts';
import { type AuditEvent, pageChargeEvents, pageRetriedCharges, readData } from '../../ledger/audit/events.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { balanceAfter } from './stored.ts';

/** The refunds of payments that failed and were charged, in the wallets' currencies. */
export interface Refunds {
  /** Of payments whose rows were sent again since, at any time. */
  earlier: Sums;
  /** Of all failed payments, up to the second reading of the wallets: the balance read then includes them. */
  byReading: Sums;
}

/** A payment that failed and was charged nevertheless. */
interface Kept {
  topupId: string | null;
  /** How often the row had been retried before. */
  retries: number;
  cost: string;
  currency: string;
  /** Epoch ms: when the service accepted it, if known, else when it was seen to have failed. */
  chargedAt: number;
}

/** A refund that the service reports. */
interface MoneyUpdate {
  /** Null if the service named no payment: then it is the one that the row had at the time. */
  topupId: string | null;
  retries: number;
  /** Epoch ms: when the money came back, if the service says so, else when the refund was seen. */
  at: number;
  currency: string | null;
  /** How much of a charge the refund covers. */
  backOf(cost: string): string;
}

interface RowMoney {
  retries: number;
  /** Epoch ms: when the service accepted the row's current payment. */
  acceptedAt: number | null;
  kept: Kept[];
  updates: MoneyUpdate[];
}

/** Events read at once. */
const eventsPerPage = 2_000;

/**
 * Reads the refunds of failed payments from a batch's history. When a row is sent again, it loses what the earlier
 * payment was charged; the history keeps it. Only refunds that the service reported are counted.
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
 * What earlier payments of retried rows were charged between `fromMs` and `toMs` (epoch ms), less the refunds of such
 * payments in that time, whenever those were charged.
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
  sums.addAll(before.toObject());
  for (const [currency, amount] of Object.entries(by.toObject())) sums.add(currency, subtractAmounts('0', amount));
  return sums;
}

async function readMoney(
  view: Queryable,
  batchId: string,
  pageOf: typeof pageChargeEvents,
): Promise<Map<number, RowMoney>> {
  const rows = new Map<number, RowMoney>();
  const read = (last: AuditEvent | undefined, limit: number) => pageOf(view, batchId, last?.seq ?? 0, limit);
  for await (const page of pagesOf(eventsPerPage, read))
    for (const event of page) if (event.row_no !== null) noteEvent(rows, event.row_no, event);
  return rows;
}

/** How much of a charge a refund of `amount` in the same currency covers: never more than was charged. */
export function backOf(cost: string, amount: string): string {
  return compareAmounts(amount, cost) < 0 ? amount : cost;
}

function noteEvent(rows: Map<number, RowMoney>, rowNo: number, { kind, at, body }: AuditEvent): void {
  const data = readData(body);
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

/** Several reports may be about the same refund: the largest one counts. */
function addBack(sums: Sums, { cost, currency }: Kept, updates: readonly MoneyUpdate[]): void {
  let most = '0';
  for (const update of updates) {
    const back = update.currency === currency ? update.backOf(cost) : '0';
    if (compareAmounts(back, most) > 0) most = back;
  }
  if (most !== '0') sums.add(currency, most);
}
