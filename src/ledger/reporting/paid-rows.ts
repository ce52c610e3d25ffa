import { multiplyAmount, Sums, subtractAmounts } from '../../core/money/money.ts';
import type { Queryable } from '../drivers/database.ts';
import { accountLists, accountPlaces } from '../drivers/filled-lists.ts';
import { readColumn, readValue } from '../drivers/read.ts';
import { zonesApartMs } from '../rows/costs.ts';
import { countsAsPaidParams, countsAsPaidSql } from './counts-as-paid.ts';

/** Epoch milliseconds, both included. */
export interface Span {
  fromMs: number;
  toMs: number;
}

/** Null for `accounts`: all accounts. */
interface Asked extends Span {
  accounts: readonly string[] | null;
}

/** The rows that were sent to this number (E.164) in this time, the latest first. */
export async function rowsSentTo(
  db: Queryable,
  number: string,
  { accounts, fromMs, toMs, limit }: Asked & { limit: number },
): Promise<{ batch_id: string; row_no: number; first_sent_at: number }[]> {
  const found: { batch_id: string; row_no: number; first_sent_at: number }[] = [];
  for (const list of accountLists(accounts))
    found.push(
      ...(await db.query<(typeof found)[number]>(
        // A cross join, so that SQLite begins with the index of the number.
        `SELECT rows.batch_id, row_no, first_sent_at FROM rows CROSS JOIN batches ON batches.batch_id = rows.batch_id
         WHERE phone_number = ? AND first_sent_at IS NOT NULL AND first_sent_at BETWEEN ? AND ?
           AND (? = 1 OR account IN (${accountPlaces}))
         ORDER BY first_sent_at DESC, rows.batch_id, row_no LIMIT ?`,
        [number, fromMs, toMs, ...list, limit],
      )),
    );
  return found.toSorted((a, b) => b.first_sent_at - a.first_sent_at).slice(0, limit);
}

/** How many batches that were sent in this time have lost their numbers and names, because people were forgotten. */
export async function forgottenBatches(db: Queryable, { accounts, fromMs, toMs }: Asked): Promise<number> {
  let count = 0;
  for (const list of accountLists(accounts)) {
    const sql = `SELECT COUNT(*) FROM batches WHERE forgotten_at IS NOT NULL AND started_at <= ?
         AND (completed_at IS NULL OR completed_at >= ?) AND (? = 1 OR account IN (${accountPlaces}))`;
    count += (await readValue<number>(db, sql, [toMs, fromMs, ...list])) ?? 0;
  }
  return count;
}

/** The batches that may have paid rows in this time. */
export async function batchesSentIn(db: Queryable, { accounts, fromMs, toMs }: Asked): Promise<string[]> {
  const found: string[] = [];
  const sql = `SELECT batch_id FROM batches WHERE started_at <= ? AND (completed_at IS NULL OR completed_at >= ?
             OR EXISTS (SELECT 1 FROM rows WHERE rows.batch_id = batches.batch_id AND contradicted IS NOT NULL
               AND rows.completed_at IS NULL AND contradicted_at >= ?))
           AND (? = 1 OR account IN (${accountPlaces}))`;
  const times = [toMs + zonesApartMs, fromMs - zonesApartMs, fromMs];
  for (const list of accountLists(accounts)) found.push(...(await readColumn<string>(db, sql, [...times, ...list])));
  return found;
}

/** Rows of a batch that were paid in a time, with the same amount, the same cost and the same refund. */
export interface PaidRows {
  currency: string | null;
  /** Null for a product. */
  amount: string | null;
  cost: string | null;
  cost_currency: string | null;
  /** What the service has given back of the cost; null if nothing. */
  refund: string | null;
  count: number;
  /** Those whose money the service has given back, even if it does not say how much; and when it did so last. */
  refunded: number;
  last_refunded_at: number | null;
  first_at: number;
  last_at: number;
}

/** The greatest number that a column of type INTEGER holds on PostgreSQL. */
const rowNoMax = 2 ** 31 - 1;

/** What the service has given back of the late charge, or else of the row's own cost. */
const refundSql = `CASE WHEN late.topup_id IS NOT NULL
    THEN CASE WHEN late.refunded_at IS NOT NULL THEN COALESCE(late.refund_amount, late.cost) END
  WHEN rows.refunded_at IS NOT NULL AND rows.refund_currency = rows.cost_currency
    THEN COALESCE(rows.refund_amount, rows.cost) END`;

/**
 * The rows of a batch that count as paid, or the one with this number, by the time of their end. A skipped or cancelled
 * row has none: its payment counts from when airbatch learned of it. The cost of a row that ended unpaid is what the
 * service charged later. SQL only counts the rows: it would add amounts as floats.
 */
export function paidRows(
  db: Queryable,
  batchId: string,
  { fromMs, toMs }: Span,
  rowNo: number | null = null,
): Promise<PaidRows[]> {
  const [first, last] = rowNo === null ? [0, rowNoMax] : [rowNo, rowNo];
  return db.query(
    `SELECT currency, amount, cost, cost_currency, refund, COUNT(*) AS count, COUNT(refunded_at) AS refunded,
       MAX(refunded_at) AS last_refunded_at, MIN(paid_at) AS first_at, MAX(paid_at) AS last_at
     FROM (SELECT rows.currency, rows.amount, COALESCE(rows.completed_at, rows.contradicted_at) AS paid_at,
         COALESCE(late.cost, rows.cost) AS cost, COALESCE(late.cost_currency, rows.cost_currency) AS cost_currency,
         ${refundSql} AS refund, COALESCE(late.refunded_at, rows.refunded_at) AS refunded_at
       FROM rows LEFT JOIN late_charges AS late ON rows.status <> 'completed' AND late.batch_id = rows.batch_id
         AND late.row_no = rows.row_no AND late.topup_id = COALESCE(rows.contradicted_by, rows.topup_id)
       WHERE rows.batch_id = ? AND rows.row_no >= ? AND rows.row_no <= ? AND ${countsAsPaidSql}) AS paid
     WHERE paid_at BETWEEN ? AND ?
     GROUP BY currency, amount, cost, cost_currency, refund`,
    [batchId, first, last, ...countsAsPaidParams(batchId), fromMs, toMs],
  );
}

/** How many of these rows the service has refunded. */
export function refundedOf(groups: readonly PaidRows[]): number {
  return groups.reduce((sum, { refunded }) => sum + refunded, 0);
}

/** What the wallets were charged for these rows, less what the service has given back. */
export function chargedFor(groups: readonly PaidRows[]): Record<string, string> {
  const charged = new Sums();
  for (const { cost, cost_currency, refund, count } of groups)
    if (cost !== null && cost_currency !== null)
      charged.add(cost_currency, multiplyAmount(subtractAmounts(cost, refund ?? '0'), count));
  return charged.toObject();
}
