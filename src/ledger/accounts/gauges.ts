import type { PauseReason } from '../../core/state/batch-state.ts';
import type { RowState } from '../../core/state/row-state.ts';
import type { BatchRecord } from '../batches/batches.ts';
import type { Queryable } from '../drivers/database.ts';
import { inFlight, leftToPerson } from '../rows/in-flight-rows.ts';

/** The states of batches that have not ended. They are few, however many batches a ledger has. */
const isOpen = `batches.status IN ('received', 'validated', 'awaiting_approval', 'approved', 'running', 'paused')`;

/** A batch that has not ended, as far as its situation needs it. */
export type OpenBatchInShort = Pick<BatchRecord, 'batch_id' | 'account' | 'status' | 'policy' | 'canary_at'> & {
  started_at: number | null;
};

/** The batches that have not ended, of all accounts. */
export function batchesOpen(db: Queryable): Promise<OpenBatchInShort[]> {
  return db.query(`SELECT batch_id, account, status, policy, canary_at, started_at FROM batches WHERE ${isOpen}`);
}

/** The number of rows in each state, of the batches that have not ended. */
export function rowsOfOpenBatches(db: Queryable): Promise<{ batch_id: string; status: RowState; count: number }[]> {
  return db.query(
    `SELECT batch_counts.batch_id, batch_counts.status, batch_counts.count
     FROM batches JOIN batch_counts ON batch_counts.batch_id = batches.batch_id
     WHERE ${isOpen} AND batch_counts.count > 0`,
  );
}

/** What the batches that have not ended were charged so far, by currency of the wallet. */
export function costsOfOpenBatches(db: Queryable): Promise<{ batch_id: string; currency: string; cost: string }[]> {
  return db.query(
    `SELECT batch_costs.batch_id, batch_costs.currency, batch_costs.cost
     FROM batches JOIN batch_costs ON batch_costs.batch_id = batches.batch_id WHERE ${isOpen}`,
  );
}

/** How many rows in doubt are left to a person, by batch. */
export function leftToPersonByBatch(db: Queryable): Promise<{ batch_id: string; count: number }[]> {
  return db.query(
    `SELECT batches.batch_id, COUNT(*) AS count FROM batches JOIN rows ON rows.batch_id = batches.batch_id
     WHERE ${isOpen} AND ${leftToPerson} GROUP BY batches.batch_id`,
  );
}

/**
 * When the oldest accepted row was accepted (epoch ms), by account. It reads the index alone, and only the rows that
 * the service has now.
 */
export function oldestAccepted(db: Queryable): Promise<{ account: string; at: number }[]> {
  return db.query(
    `SELECT batches.account, MIN(rows.accepted_at) AS at FROM batches JOIN rows ON rows.batch_id = batches.batch_id
     WHERE batches.status IN ('running', 'paused') AND rows.status = 'accepted' AND ${inFlight}
       AND rows.accepted_at IS NOT NULL GROUP BY batches.account`,
  );
}

/**
 * The rows in doubt by account and currency of the recipient: when the oldest was first sent (epoch ms), and the sum.
 * The sum is a binary number: exact enough for an alert, and no payment depends on it. Rows that buy a product have no
 * currency and no sum.
 */
export function doubtsByAccount(
  db: Queryable,
): Promise<{ account: string; currency: string | null; at: number | null; sum: number | null }[]> {
  return db.query(
    `SELECT batches.account, rows.currency, MIN(rows.first_sent_at) AS at,
       SUM(CAST(rows.amount AS DOUBLE PRECISION)) AS sum
     FROM batches JOIN rows ON rows.batch_id = batches.batch_id
     WHERE ${isOpen} AND rows.status = 'in_doubt' AND ${inFlight} GROUP BY batches.account, rows.currency`,
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

/** Received webhooks that are not handled yet, by account. */
export function webhooksWaiting(db: Queryable): Promise<{ account: string; count: number }[]> {
  return db.query('SELECT account, COUNT(*) AS count FROM inbox WHERE due_at IS NOT NULL GROUP BY account');
}

/** How many notifications are still to be sent, and when the oldest of them was made (epoch ms). */
export async function notificationsUnsent(db: Queryable): Promise<{ count: number; oldest: number | null }> {
  const [unsent] = await db.query<{ count: number; oldest: number | null }>(
    'SELECT COUNT(*) AS count, MIN(created_at) AS oldest FROM outbox WHERE due_at IS NOT NULL',
  );
  return unsent ?? { count: 0, oldest: null };
}

/** What the runner of each account last stored about its pace, as JSON `StoredPace` (pace.ts). */
export function allPaces(db: Queryable): Promise<{ account: string; pace: string }[]> {
  return db.query('SELECT account, pace FROM account_state WHERE pace IS NOT NULL');
}

/** The reasons for which accounts or batches of them are paused, and since when (epoch ms). */
export function pauseReasonsInForce(db: Queryable): Promise<{ account: string; reason: PauseReason; since: number }[]> {
  return db.query(
    'SELECT account, reason, MIN(since) AS since FROM pauses WHERE cleared_at IS NULL GROUP BY account, reason',
  );
}
