import type { Queryable } from '../drivers/database.ts';

/**
 * Wakes the runner of the batch's account once the transaction is committed: at once by a notice if the ledger is on a
 * server, and otherwise when it next reads `announcedChanges`. Call it last in a transaction, because the
 * count of an account is locked until its end.
 */
export async function announceBatch(tx: Queryable, batchId: string): Promise<void> {
  await tx.query(
    `INSERT INTO announcements (account, changes) SELECT account, 1 FROM batches WHERE batch_id = ?
     ON CONFLICT (account) DO UPDATE SET changes = announcements.changes + 1
     RETURNING ledger_announce('batch ' || account)`,
    [batchId],
  );
}

/** How many changes of its batches were announced to the account. */
export async function announcedTo(db: Queryable, account: string): Promise<number> {
  const [found] = await db.values<[number]>('SELECT changes FROM announcements WHERE account = ?', [account]);
  return found?.[0] ?? 0;
}

/** The same for each account. */
export async function announcedChanges(db: Queryable): Promise<Map<string, number>> {
  return new Map(await db.values<[string, number]>('SELECT account, changes FROM announcements'));
}

/** Wakes the account's runner because a webhook was received, if the ledger is on a server. */
export async function announceWebhook(db: Queryable, account: string): Promise<void> {
  await db.query(`SELECT ledger_announce('webhook ' || CAST(? AS TEXT))`, [account]);
}
