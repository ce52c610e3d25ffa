import { z } from 'zod';
import { isoTime } from '../../core/time/clock.ts';
import type { ReconciliationRecord } from '../../ledger/reporting/reconciliations.ts';
import { type Bucket, buckets, isOpen } from '../../reports/reconcile/reconcile-buckets.ts';
import { isSettled, type Reconciliation, reconciliationShape } from '../../reports/reconcile/reconciliation.ts';
import { sums } from '../base/fields.ts';

const { format: _, ...shape } = reconciliationShape.shape;

/** A reconciliation as the ledger keeps it. */
export const storedShape = z.strictObject({
  ...shape,
  /** Null: an earlier version made it, and did not store it. */
  charged_by_ledger: sums.nullable(),
  charged_by_service: sums.nullable(),
  /** Whether nobody has anything left to do. */
  is_settled: z.boolean(),
});

export function storedReconciliation(record: ReconciliationRecord): z.output<typeof storedShape> {
  const { reconciliation_id, account, batch_id, from_ms, to_ms, finished_at } = record;
  const counts = JSON.parse(record.counts) as Record<Bucket, number>;
  const wallets = JSON.parse(record.wallets) as Reconciliation['wallets'];
  const open = buckets.reduce((sum, bucket) => sum + (isOpen(bucket) ? (counts[bucket] ?? 0) : 0), 0);
  const sumsOf = (text: string | null) => (text === null ? null : (JSON.parse(text) as Record<string, string>));
  return {
    ...{ reconciliation_id, account, batch_id, from: isoTime(from_ms), to: isoTime(to_ms) },
    ...{ finished_at: isoTime(finished_at), counts, open, wallets, is_settled: isSettled({ open, wallets }) },
    charged_by_ledger: sumsOf(record.charged_by_ledger),
    charged_by_service: sumsOf(record.charged_by_service),
  };
}
