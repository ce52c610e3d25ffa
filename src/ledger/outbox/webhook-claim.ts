import type { Database } from '../drivers/database.ts';
import { readValue } from '../drivers/read.ts';

/** Claims the sending of webhooks until `expiresAt`. False if another process has claimed it, and lives. */
export async function claimWebhooks(db: Database, holder: string, now: number, expiresAt: number): Promise<boolean> {
  // Each write is synced to the disk, so a claim is renewed only when a third of it has gone.
  const until = await readValue<number>(db, 'SELECT expires_at FROM webhook_claim WHERE holder = ?', [holder]);
  if (until !== null && until - now > (2 * (expiresAt - now)) / 3) return true;
  return db.transact(async (tx) => {
    const claimed = await tx.execute(
      'UPDATE webhook_claim SET holder = ?, expires_at = ? WHERE holder = ? OR expires_at <= ?',
      [holder, expiresAt, holder, now],
    );
    return claimed === 1;
  });
}
