import { idempotencyKey } from '../core/ids.ts';
import type { Database } from '../ledger/database.ts';
import { findPayment } from '../ledger/payments.ts';
import { sentTo } from '../ledger/sent-lately.ts';

/**
 * When a payment to this number was last written to the wire for the account, epoch milliseconds; 0 for never. A picker knows
 * it by itself of what was sent while it lives, and asks this for what a program before it sent.
 */
export async function lastSentTo(db: Database, account: string, phoneNumber: string): Promise<number> {
  let last = 0;
  for (const { run_id: runId, row_ref: rowRef, generation } of await sentTo(db, account, phoneNumber)) {
    const payment = await findPayment(db, idempotencyKey({ account, runId, rowRef, generation }));
    last = Math.max(last, payment?.last_intent_at ?? 0);
  }
  return last;
}
