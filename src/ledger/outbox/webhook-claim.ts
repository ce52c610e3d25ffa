import type { Database } from '../drivers/database.ts';

/** Claims the sending of webhooks until `expiresAt`. False if another process has claimed it, and lives. */
export async function claimWebhooks(db: Database, holder: string, now: number, expiresAt: number): Promise<boolean> {
  const [claim] = await db.query<{ holder: string; expires_at: number }>(
    'SELECT holder, expires_at FROM webhook_claim',
  );
  const isOurs = claim?.holder === holder;
  const leftMs = (claim?.expires_at ?? 0) - now;
  // Each write holds up all other writers, so a claim is renewed only when a third of it has gone.
  if (leftMs > (isOurs ? (2 * (expiresAt - now)) / 3 : 0)) return isOurs;
  return db.transact(async (tx) => {
    const claimed = await tx.execute(
      'UPDATE webhook_claim SET holder = ?, expires_at = ? WHERE holder = ? OR expires_at <= ?',
      [holder, expiresAt, holder, now],
    );
    return claimed === 1;
  });
}
