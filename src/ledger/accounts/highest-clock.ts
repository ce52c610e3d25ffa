import type { Queryable } from '../drivers/database.ts';
import { readValue } from '../drivers/read.ts';
import { highestClock } from '../schema/ledger-state.ts';

/**
 * The highest time that a runner of the account has seen (epoch ms), or 0. The ledger's own highest time is written
 * only when leases are taken and renewed. But whatever a runner writes has an event with its time. The last one of each
 * open batch is looked at: the payments of others have ended. The events of people do not count, as they may have been
 * written on a machine with another clock. `account`: null for all.
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
