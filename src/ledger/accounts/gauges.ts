import type { Queryable } from '../drivers/database.ts';
import { inFlight } from '../rows/in-flight-rows.ts';

/** Rows by account and state, of all batches. */
export function rowsByState(db: Queryable): Promise<{ account: string; state: string; count: number }[]> {
  return db.query(
    `SELECT batches.account, batch_counts.status AS state, SUM(batch_counts.count) AS count
     FROM batch_counts JOIN batches ON batches.batch_id = batch_counts.batch_id
     GROUP BY batches.account, batch_counts.status ORDER BY batches.account, batch_counts.status`,
  );
}

/** When the oldest row that has been sent and has not ended was first sent (epoch ms), by account. */
export function oldestUnsettled(db: Queryable): Promise<{ account: string; at: number }[]> {
  return db.query(
    `SELECT batches.account, MIN(rows.first_sent_at) AS at
     FROM batches JOIN rows ON rows.batch_id = batches.batch_id
     WHERE batches.status IN ('running', 'paused') AND ${inFlight}
       AND rows.first_sent_at IS NOT NULL GROUP BY batches.account ORDER BY batches.account`,
  );
}

/** The balance that was last read for each account, as JSON `Balance` (gateway/contract/gateway.ts). */
export function lastBalances(db: Queryable): Promise<{ account: string; balance: string }[]> {
  return db.query(
    `SELECT batches.account, COALESCE(balance_after, balance_before) AS balance
     FROM (SELECT account, MAX(created_at) AS at FROM batches
         WHERE COALESCE(balance_after, balance_before) IS NOT NULL GROUP BY account) AS newest
       JOIN batches ON batches.account = newest.account AND batches.created_at = newest.at
     WHERE COALESCE(balance_after, balance_before) IS NOT NULL ORDER BY batches.account`,
  );
}

/** The balances that were read for an account's newest batches, each as JSON `Balance`, the newest batch first. */
export function balancesRead(
  db: Queryable,
  account: string,
  limit: number,
): Promise<{ balance_before: string | null; balance_after: string | null }[]> {
  return db.query(
    `SELECT balance_before, balance_after FROM batches
     WHERE account = ? AND COALESCE(balance_after, balance_before) IS NOT NULL
     ORDER BY created_at DESC, batch_id DESC LIMIT ?`,
    [account, limit],
  );
}

/** What an account's batches that started since `fromMs` were charged, by the currency of the wallets (epoch ms). */
export function spentSince(
  db: Queryable,
  account: string,
  fromMs: number,
): Promise<{ at: number; currency: string; cost: string }[]> {
  return db.query(
    `SELECT started_at AS at, currency, cost FROM batches
     JOIN batch_costs ON batch_costs.batch_id = batches.batch_id WHERE account = ? AND started_at >= ?`,
    [account, fromMs],
  );
}

/** How many batches have not ended by their deadline (epoch ms), by account. */
export function batchesLate(db: Queryable, now: number): Promise<{ account: string; count: number }[]> {
  return db.query(
    `SELECT account, COUNT(*) AS count FROM batches
     WHERE status IN ('awaiting_approval', 'approved', 'running', 'paused') AND finish_by < ?
     GROUP BY account ORDER BY account`,
    [now],
  );
}

/** Received webhooks by account and outcome; null: not handled yet. */
export function webhooksByOutcome(
  db: Queryable,
): Promise<{ account: string; outcome: string | null; count: number }[]> {
  return db.query(
    'SELECT account, outcome, COUNT(*) AS count FROM inbox GROUP BY outcome, account ORDER BY outcome, account',
  );
}

/** How many notifications are still to be sent. */
export async function notificationsWaiting(db: Queryable): Promise<number> {
  const [waiting] = await db.query<{ count: number }>('SELECT COUNT(*) AS count FROM outbox WHERE due_at IS NOT NULL');
  return waiting?.count ?? 0;
}
