import type { Queryable } from '../drivers/database.ts';

/** Wakes whoever works on the account of the batch in another process, once the transaction is committed. */
export async function announceBatch(tx: Queryable, batchId: string): Promise<void> {
  await tx.query(`SELECT ledger_announce('batch ' || account) FROM batches WHERE batch_id = ?`, [batchId]);
}

/** The same for a webhook that was received. */
export async function announceWebhook(db: Queryable, account: string): Promise<void> {
  await db.query(`SELECT ledger_announce('webhook ' || CAST(? AS TEXT))`, [account]);
}
