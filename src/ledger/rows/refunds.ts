import type { Queryable } from '../drivers/database.ts';
import type { RowRecord } from './rows.ts';

/** Money of a payment that the service gave back. */
export type Refund = Pick<RowRecord, 'refunded_at' | 'refund_amount' | 'refund_currency'>;

/**
 * Writes, beside whatever the row's state is, that its money was given back. By a statement of its own: a writer that
 * read the row before this and comes after it leaves it as it is.
 */
export async function writeRefund(tx: Queryable, row: RowRecord, refund: Refund): Promise<void> {
  await tx.execute(
    'UPDATE rows SET refunded_at = ?, refund_amount = ?, refund_currency = ? WHERE batch_id = ? AND row_no = ?',
    [refund.refunded_at, refund.refund_amount, refund.refund_currency, row.batch_id, row.row_no],
  );
}
