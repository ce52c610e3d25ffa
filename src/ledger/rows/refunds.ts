import type { Queryable } from '../drivers/database.ts';
import type { RowRecord } from './rows.ts';

/** A refund of a payment by the service. */
export type Refund = Pick<RowRecord, 'refunded_at' | 'refund_amount' | 'refund_currency'>;

/**
 * Records a refund on a row, whatever the row's state. In a statement of its own, so that a writer that read the row
 * earlier and writes it later keeps the refund.
 */
export async function writeRefund(tx: Queryable, row: RowRecord, refund: Refund): Promise<void> {
  await tx.execute(
    'UPDATE rows SET refunded_at = ?, refund_amount = ?, refund_currency = ? WHERE batch_id = ? AND row_no = ?',
    [refund.refunded_at, refund.refund_amount, refund.refund_currency, row.batch_id, row.row_no],
  );
}
