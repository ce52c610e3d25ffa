import { idempotencyKey } from '../../core/identity/ids.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import { sentTo } from '../../ledger/rows/earlier-payments.ts';
import { findPayment } from '../../ledger/rows/payments.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';

/** Keeps payments to one phone number apart, as the service demands (spec section 7.2, code 50). */
export interface NumberSpacing {
  /** The least time between two payments to one number (ms); 0 if the service demands none. */
  spacingMs: number;
  /** When this runner last sent to each number (epoch ms), the oldest first. */
  lastSent: Map<string, number>;
  /** When an earlier program last sent to a number (epoch ms); 0 for never. */
  lastSentAt: (phoneNumber: string) => Promise<number>;
  startedAt: number;
}

/** The time until which a row waits because of its number (epoch ms); 0 if it need not wait. */
export async function spacedUntil(spacing: NumberSpacing, row: RowRecord, now: number): Promise<number> {
  const { spacingMs, lastSent, lastSentAt, startedAt } = spacing;
  if (spacingMs === 0 || row.phone_number === null) return 0;
  // Soon after the start, an earlier program's payment may still be recent enough to matter.
  const isNew = now - startedAt < spacingMs;
  const last = lastSent.get(row.phone_number) ?? (isNew ? await lastSentAt(row.phone_number) : 0);
  return last + spacingMs;
}

/** Records that a row is sent now, and forgets numbers whose spacing is over. */
export function noteSentTo({ spacingMs, lastSent }: NumberSpacing, row: RowRecord, now: number): void {
  if (spacingMs === 0) return;
  lastSent.delete(row.phone_number ?? '');
  lastSent.set(row.phone_number ?? '', now);
  for (const [number, at] of lastSent) {
    if (at + spacingMs > now) break;
    lastSent.delete(number);
  }
}

/** When the ledger last recorded a payment of the account to this number (epoch ms); 0 for never. */
export async function lastSendTimeTo(db: Database, account: string, phoneNumber: string): Promise<number> {
  let last = 0;
  for (const { run_id: runId, row_ref: rowRef, generation } of await sentTo(db, account, phoneNumber)) {
    const payment = await findPayment(db, idempotencyKey({ account, runId, rowRef, generation }));
    last = Math.max(last, payment?.last_intent_at ?? 0);
  }
  return last;
}
