import { AirbatchError } from '../../core/basics/errors.ts';
import type { Queryable } from '../drivers/database.ts';

/**
 * The right to send for an account. The number grows each time the account changes its holder, so that a former holder
 * is recognized.
 */
export interface Fence {
  account: string;
  holder: string;
  fence: number;
}

export interface LeaseRecord extends Fence {
  expires_at: number;
}

export async function findLease(db: Queryable, account: string): Promise<LeaseRecord | null> {
  const [lease] = await db.query<LeaseRecord>('SELECT * FROM leases WHERE account = ?', [account]);
  return lease ?? null;
}

/**
 * Takes the account for `holder` until `expiresAt`, if nobody holds it, if its lease has expired at `now`, or if its
 * holder is `deadHolder` (a process that is known to have ended). Null if another holder has it.
 */
export async function takeLease(
  tx: Queryable,
  request: { account: string; holder: string; now: number; expiresAt: number; deadHolder: string | null },
): Promise<Fence | null> {
  const { account, holder, now, expiresAt, deadHolder } = request;
  await tx.execute(
    `INSERT INTO leases (account, holder, fence, expires_at) VALUES (?, '', 0, 0) ON CONFLICT (account) DO NOTHING`,
    [account],
  );
  const taken = await tx.execute(
    `UPDATE leases SET holder = ?, fence = fence + 1, expires_at = ?
     WHERE account = ? AND (expires_at <= ? OR holder = ?)`,
    [holder, expiresAt, account, now, deadHolder ?? ''],
  );
  const lease = taken === 1 ? await findLease(tx, account) : null;
  return lease && { account, holder, fence: lease.fence };
}

/** Extends the lease until `expiresAt`. Returns false if it is no longer held under this fence. */
export async function renewLease(tx: Queryable, fence: Fence, expiresAt: number): Promise<boolean> {
  const renewed = await tx.execute('UPDATE leases SET expires_at = ? WHERE account = ? AND fence = ? AND holder = ?', [
    expiresAt,
    fence.account,
    fence.fence,
    fence.holder,
  ]);
  return renewed === 1;
}

/** Releases the account, so that the next runner need not wait until the lease expires. */
export async function releaseLease(tx: Queryable, fence: Fence): Promise<void> {
  await tx.execute('UPDATE leases SET expires_at = 0 WHERE account = ? AND fence = ? AND holder = ?', [
    fence.account,
    fence.fence,
    fence.holder,
  ]);
}

/** Fails with `FENCED` if the account has changed its holder since `fence` was taken. */
export async function checkFence(tx: Queryable, fence: Fence): Promise<void> {
  const lease = await findLease(tx, fence.account);
  if (lease?.fence !== fence.fence || lease.holder !== fence.holder) {
    throw new AirbatchError('FENCED', `another process took over account "${fence.account}"`);
  }
}

/**
 * Raises the account's fencing number to `fence`, which must not be below the present one: a ledger from a backup must
 * not use numbers again.
 */
export async function raiseFence(tx: Queryable, account: string, fence: number): Promise<void> {
  await tx.execute(
    `INSERT INTO leases (account, holder, fence, expires_at) VALUES (?, '', ?, 0)
     ON CONFLICT (account) DO UPDATE SET fence = excluded.fence`,
    [account, fence],
  );
}
