import { multiplyAmount, Sums } from '../../core/money/money.ts';
import { dayMs } from '../../core/time/clock.ts';
import type { Queryable } from '../drivers/database.ts';
import { readColumn } from '../drivers/read.ts';
import { saveRecord } from '../drivers/write.ts';

/** What the service charged for one row, in the currency of the wallet that paid. */
export interface RowCost {
  row_no: number;
  cost: string;
  cost_currency: string;
}

/**
 * Batches begin and end by this machine's clock, and payments by the service's. So much longer before and after a time,
 * batches are looked for that may have payments in it (ms).
 */
const clocksApartMs = 3_600_000;
/** For what must not miss a payment: a service may write the time of its own zone as UTC. */
export const zonesApartMs = dayMs;

/** A time (epoch ms), in which batches of an account may have been charged, except one. */
export interface ChargedSpan {
  account: string;
  batchId: string;
  fromMs: number;
  toMs: number;
  /** How much the clocks may differ; default: an hour. */
  apartMs?: number;
}

/** The account's batches, except this one, that may have been charged in this time. */
export function otherBatches(
  db: Queryable,
  { account, batchId, fromMs, toMs, apartMs = clocksApartMs }: ChargedSpan,
): Promise<string[]> {
  const sql = `SELECT batch_id FROM batches WHERE account = ? AND batch_id <> ? AND started_at <= ?
       AND (completed_at IS NULL OR completed_at >= ?) ORDER BY created_at, batch_id`;
  return readColumn(db, sql, [account, batchId, toMs + apartMs, fromMs - apartMs]);
}

/**
 * A page of what a batch's rows were charged between `fromMs` and `toMs`, after row `afterRowNo`. The service charges
 * when it accepts, so the time of acceptance counts; for a row that ended at once, the time of sending.
 */
export function pageCosts(
  db: Queryable,
  batchId: string,
  between: { fromMs: number; toMs: number },
  afterRowNo: number,
  limit: number,
): Promise<RowCost[]> {
  return db.query(
    `SELECT row_no, cost, cost_currency FROM rows WHERE batch_id = ? AND row_no > ? AND cost IS NOT NULL
       AND cost_currency IS NOT NULL AND COALESCE(accepted_at, first_sent_at) BETWEEN ? AND ? ORDER BY row_no LIMIT ?`,
    [batchId, afterRowNo, between.fromMs, between.toMs, limit],
  );
}

/**
 * The account's batches, except this one, with rows of a later generation and with events after `fromMs` (epoch ms).
 * The charges and refunds of earlier generations are only in the batch's history, because a retry clears them from the
 * row. The few rows of a later generation have an index of their own; the rows of a batch would all be read.
 */
export function retriedInOtherBatches(
  db: Queryable,
  span: { account: string; batchId: string; fromMs: number; toMs: number },
): Promise<string[]> {
  const sql = `SELECT batches.batch_id FROM batches CROSS JOIN events
       ON events.batch_id = batches.batch_id AND events.seq = batches.audit_seq
       WHERE account = ? AND batches.batch_id <> ? AND created_at <= ? AND events.at >= ?
       AND batches.batch_id IN (SELECT batch_id FROM rows WHERE generation > 1)`;
  return readColumn(db, sql, [span.account, span.batchId, span.toMs, span.fromMs]);
}

/** What the service refunded of one row's charge. `cost` is the whole charge. */
export type RowRefund = Omit<RowCost, 'row_no'> & { batch_id: string; refund_amount: string };

/**
 * What was refunded between `fromMs` and `toMs` (epoch ms) of the charges, of any time, of the account's batches except
 * this one. Only refunds whose amount is known and in the currency of the charge.
 */
export function refundsOfOtherBatches(
  db: Queryable,
  span: { account: string; batchId: string; fromMs: number; toMs: number },
): Promise<RowRefund[]> {
  return db.query(
    `SELECT rows.batch_id, cost, cost_currency, refund_amount FROM rows CROSS JOIN batches
       ON batches.batch_id = rows.batch_id
       WHERE refunded_at BETWEEN ? AND ? AND rows.batch_id <> ? AND account = ? AND cost IS NOT NULL
       AND refund_amount IS NOT NULL AND refund_currency = cost_currency`,
    [span.fromMs, span.toMs, span.batchId, span.account],
  );
}

/**
 * What a batch was charged so far, by the currency of the wallets in alphabetical order: the costs of its rows, and the
 * charges that stayed after a retry.
 */
export async function costsOfBatch(db: Queryable, batchId: string): Promise<Map<string, string>> {
  const costs = await db.query<{ currency: string; cost: string }>(
    'SELECT currency, cost FROM batch_costs WHERE batch_id = ? ORDER BY currency',
    [batchId],
  );
  return new Map(costs.map(({ currency, cost }) => [currency, cost]));
}

/** What one paid row asked for, and what it cost. */
export type PaidCost = Omit<RowCost, 'row_no'> & { currency: string; amount: string };

/**
 * How many of the account's newest batches `recentCosts` reads, and how many of the first rows of each: a query that
 * takes milliseconds in any ledger.
 */
const recentBatchesMax = 20;
const recentRowsMax = 500;

/** The costs of recent payments of an account at one service, the latest batch last. */
export function recentCosts(
  db: Queryable,
  { account, service }: { account: string; service: string },
): Promise<PaidCost[]> {
  return db.query(
    `SELECT rows.currency, amount, cost, cost_currency
     FROM (SELECT batch_id, started_at FROM batches WHERE account = ? AND service = ? AND started_at IS NOT NULL
       ORDER BY created_at DESC LIMIT ?) AS recent
     CROSS JOIN rows ON rows.batch_id = recent.batch_id
     WHERE row_no <= ? AND rows.status = 'completed' AND amount IS NOT NULL AND rows.currency IS NOT NULL
       AND cost IS NOT NULL AND cost <> '0' AND cost_currency IS NOT NULL
     ORDER BY started_at, row_no`,
    [account, service, recentBatchesMax, recentRowsMax],
  );
}

/** How many rows had one cost. SQL only counts the few distinct costs, because it would add them as floats. */
interface CostCount {
  cost_currency: string;
  cost: string;
  count: number;
}

function sumOfCosts(costs: readonly CostCount[]): Record<string, string> {
  const sums = new Sums();
  for (const { cost_currency, cost, count } of costs) sums.add(cost_currency, multiplyAmount(cost, count));
  return sums.toObject();
}

/** The cost of a batch's rows that buy products, by the currency of the wallets. */
export async function costsOfProducts(db: Queryable, batchId: string): Promise<Record<string, string>> {
  const costs = await db.query<CostCount>(
    `SELECT cost_currency, cost, COUNT(*) AS count FROM rows
     WHERE batch_id = ? AND product_id IS NOT NULL AND cost IS NOT NULL GROUP BY cost_currency, cost`,
    [batchId],
  );
  return sumOfCosts(costs);
}

/** The cost of a batch's rows that were first sent before `beforeMs` (epoch ms), by the currency of the wallets. */
export async function costsSentBefore(
  db: Queryable,
  batchId: string,
  beforeMs: number,
): Promise<Record<string, string>> {
  const costs = await db.query<CostCount>(
    `SELECT cost_currency, cost, COUNT(*) AS count FROM rows
     WHERE batch_id = ? AND first_sent_at < ? AND cost IS NOT NULL AND cost_currency IS NOT NULL
     GROUP BY cost_currency, cost`,
    [batchId, beforeMs],
  );
  return sumOfCosts(costs);
}

/** What a batch was charged in one currency: a decimal text. */
export interface BatchCost {
  batch_id: string;
  currency: string;
  cost: string;
}

export async function saveCost(tx: Queryable, cost: BatchCost): Promise<void> {
  await saveRecord(tx, 'batch_costs', ['batch_id', 'currency'], cost);
}
