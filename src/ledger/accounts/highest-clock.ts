import type { Queryable } from '../drivers/database.ts';
import { readValue } from '../drivers/read.ts';
import { highestClock } from '../schema/ledger-state.ts';

/**
 * The highest time that a runner of the account has seen (epoch ms), or 0. `account`: null for all accounts. It is the
 * highest of three times:
 *
 * - `highestClock`, which runners raise when they take and renew leases.
 * - The last event of the runner in each open batch. Every intent has an event with its time. Events of people are left
 *   out, because their machine may have another clock.
 * - The end of each completed batch.
 */
export async function highestClockOf(db: Queryable, account: string | null): Promise<number> {
  const [ofAccount, params] = account === null ? ['', []] : ['AND account = ?', [account, account]];
  const ofBatches = await readValue<number>(
    db,
    `SELECT MAX(at) FROM (
       SELECT (SELECT at FROM events WHERE events.batch_id = batches.batch_id AND actor = 'engine'
         ORDER BY seq DESC LIMIT 1) AS at
       FROM batches WHERE status NOT IN ('completed', 'rejected') ${ofAccount}
       UNION ALL SELECT MAX(completed_at) FROM batches WHERE status = 'completed' ${ofAccount}) AS times`,
    params,
  );
  return Math.max(await highestClock(db), ofBatches ?? 0);
}
