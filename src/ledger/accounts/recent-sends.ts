import type { Queryable } from '../drivers/database.ts';
import { readValue } from '../drivers/read.ts';
import { holdTime } from '../schema/lease-table.ts';

/** The part of a rate window within which requests are counted together. */
const parts = 60;
/** Requests that ended together, so long ago (ms). */
export interface EndedRequests {
  agoMs: number;
  count: number;
}

/** `count` requests of an account that have ended at `now` (epoch ms), for the rate window of this length. */
export interface RecentSends {
  account: string;
  now: number;
  windowMs: number;
  count: number;
}

/**
 * Counts requests of the account that have just ended, for the next program: it must stay within the same limit. Times
 * are those of leases, because the next program may run on another machine. An account has 64 counts, a few more than
 * a window has parts: the oldest is overwritten.
 */
export async function addRecentSends(tx: Queryable, { account, now, windowMs, count }: RecentSends): Promise<void> {
  const partMs = partMsOf(windowMs);
  await tx.execute(
    `INSERT INTO recent_sends (account, slot, until, requests)
     SELECT CAST(? AS TEXT), part % 64, (part + 1) * CAST(? AS BIGINT), CAST(? AS BIGINT)
     FROM (SELECT CAST(ledger_now(?) AS BIGINT) / CAST(? AS BIGINT) AS part) AS present WHERE true
     ON CONFLICT (account, slot) DO UPDATE SET until = excluded.until, requests = excluded.requests +
       CASE WHEN recent_sends.until = excluded.until THEN recent_sends.requests ELSE 0 END`,
    [account, partMs, count, now, partMs],
  );
}

/**
 * The requests that the account's former programs have sent in the last `windowMs`, the oldest first: those that have
 * ended, and those whose end nobody has written, as if they were being sent now. Call it once the lease is taken, so
 * that no former program can send any more.
 */
export async function recentSends(
  db: Queryable,
  { account, now, windowMs }: Omit<RecentSends, 'count'>,
): Promise<EndedRequests[]> {
  const ended = await db.query<{ until: number; requests: number }>(
    'SELECT until, requests FROM recent_sends WHERE account = ? ORDER BY until',
    [account],
  );
  const openSql = `SELECT CAST(SUM(batch_counts.count) AS BIGINT) FROM batches
     JOIN batch_counts ON batch_counts.batch_id = batches.batch_id
     WHERE batches.account = ? AND batches.status NOT IN ('completed', 'rejected') AND batch_counts.status = 'sending'`;
  const open = await readValue<number>(db, openSql, [account]);
  const at = await holdTime(db, now);
  // A database that has failed over may have an earlier clock.
  const known = ended.map(({ until, requests }) => ({ agoMs: Math.max(0, at - until), count: requests }));
  return [...known, { agoMs: 0, count: open ?? 0 }].filter(({ agoMs, count }) => count > 0 && agoMs < windowMs);
}

function partMsOf(windowMs: number): number {
  return Math.ceil(windowMs / parts);
}
