import type { Queryable } from '../drivers/database.ts';
import { readValue } from '../drivers/read.ts';

/** Rows to be sent with the same currency and amount. */
export interface RequestedAmount {
  currency: string | null;
  amount: string | null;
  count: number;
  again: number;
  texts: number;
}

/** Some rows that would be sent and ask for exactly this amount, with their lines in the file. */
export function rowsAsking(
  db: Queryable,
  batchId: string,
  { currency, amount }: { currency: string; amount: string },
  limit: number,
): Promise<{ row_no: number; line: number }[]> {
  return db.query(
    `SELECT row_no, line FROM rows WHERE batch_id = ? AND status = 'ready' AND currency = ? AND amount = ? ORDER BY row_no LIMIT ?`,
    [batchId, currency, amount, limit],
  );
}

/** Rows to be sent to the same network with the same currency and amount. */
export interface RequestedOfNetwork extends RequestedAmount {
  network_id: number | null;
  /** Of their numbers. */
  country: string | null;
}

const requestedAmounts = (states: string, by = 'currency, amount') =>
  `SELECT ${by}, COUNT(*) AS count, SUM(CASE WHEN generation > 1 THEN 1 ELSE 0 END) AS again,
     COUNT(sms_message) AS texts
   FROM rows WHERE batch_id = ? AND ${states} GROUP BY ${by}`;
const readyByNetworkSql = requestedAmounts(`status = 'ready'`, 'network_id, country, currency, amount');
const readyAmountsSql = requestedAmounts(`status = 'ready'`);
const releasedAmountsSql = requestedAmounts(`status NOT IN ('invalid', 'skipped', 'held', 'cancelled')`);
const releasedOrHeldAmountsSql = requestedAmounts(`status NOT IN ('invalid', 'skipped', 'cancelled')`);

/**
 * The amounts of the rows that would be sent: one record for each currency and distinct amount, with how many of these
 * rows are retries and how many have a text message. Products have neither currency nor amount, because only the
 * service knows their prices. The caller adds the amounts up as exact decimals: SQL would use binary floats.
 */
export function readyAmounts(db: Queryable, batchId: string): Promise<RequestedAmount[]> {
  return db.query(readyAmountsSql, [batchId]);
}

/** The same, also by network and country. */
export function readyByNetwork(db: Queryable, batchId: string): Promise<RequestedOfNetwork[]> {
  return db.query(readyByNetworkSql, [batchId]);
}

/** The same for all rows that were sent or would be, whatever their result; with `held`, also for held rows. */
export function releasedAmounts(
  db: Queryable,
  batchId: string,
  { held }: { held: boolean },
): Promise<RequestedAmount[]> {
  return db.query(held ? releasedOrHeldAmountsSql : releasedAmountsSql, [batchId]);
}

/** A product that rows to be sent buy, and how many of these rows there are. */
export interface RequestedProduct {
  network_id: number | null;
  product_id: string;
  count: number;
}

/** The products of the rows that would be sent, by network. */
export function readyProducts(db: Queryable, batchId: string): Promise<RequestedProduct[]> {
  return db.query(
    `SELECT network_id, product_id, COUNT(*) AS count FROM rows
     WHERE batch_id = ? AND status = 'ready' AND product_id IS NOT NULL GROUP BY network_id, product_id`,
    [batchId],
  );
}

/** How many of the rows that would be sent go to the number with the most of them. */
export async function mostToOneNumber(db: Queryable, batchId: string): Promise<number> {
  const sql = `SELECT COUNT(*) AS count FROM rows WHERE batch_id = ? AND status = 'ready' AND phone_number IS NOT NULL
     GROUP BY phone_number ORDER BY count DESC LIMIT 1`;
  return (await readValue<number>(db, sql, [batchId])) ?? 0;
}
