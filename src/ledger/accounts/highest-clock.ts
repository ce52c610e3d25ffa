import type { Queryable } from '../drivers/database.ts';
import { readValue } from '../drivers/read.ts';
import { highestClock } from '../schema/ledger-state.ts';

/**
 * The highest time that a runner of the account has seen (epoch ms), or 0. The ledger's own highest time may be a
 * second behind it. But each intent has an event with its time, and its batch is open until the payment has ended. The
 * events of people do not count: they may have been written on a machine with another clock. `account`: null for all.
 */
export async function highestClockOf(db: Queryable, account: string | null): Promise<number> {
  const ofEvents = await readValue<number>(
    db,
    `SELECT MAX((SELECT at FROM events WHERE events.batch_id = batches.batch_id AND actor = 'engine'
       ORDER BY seq DESC LIMIT 1))
     FROM batches WHERE status NOT IN ('completed', 'rejected')${account === null ? '' : ' AND account = ?'}`,
    account === null ? [] : [account],
  );
  return Math.max(await highestClock(db), ofEvents ?? 0);
}
