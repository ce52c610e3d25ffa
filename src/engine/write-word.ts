import type { ServicePayment } from '../gateway/gateway.ts';
import type { RowRecord } from '../ledger/rows.ts';
import type { Unit } from '../ledger/unit-of-work.ts';
import type { OpenBatch, RunnerContext } from './context.ts';
import { settle } from './settle.ts';

/** Writes what the service says of an accepted row's payment, and tells of a status that nobody knows. Null where another was first. */
export async function writeWord(
  unit: Unit,
  context: RunnerContext,
  open: OpenBatch,
  row: RowRecord,
  payment: ServicePayment,
): Promise<RowRecord | null> {
  if (payment.unknownStatus && row.service_status !== payment.serviceStatus) {
    context.log.warn('the service gave a status that is not in its specification; the row is followed on', {
      batch: row.batch_id,
      row: row.row_no,
      status: payment.serviceStatus,
    });
    await unit.append(row.batch_id, 'row.unknown_status', { service_status: payment.serviceStatus }, row.row_no);
  }
  return settle(unit, context, row, payment, { withDetails: open.withDetails });
}
