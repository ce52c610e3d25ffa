import { isoTime } from '../../core/time/clock.ts';
import { approvalsOf } from '../../ledger/batches/approvals.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';

/** How many different people had to approve a batch (0: nobody was asked), and those who have. */
export interface SummaryApprovals {
  needed: number;
  given: { person: string; at: string }[];
}

export async function approvalsFor(view: Queryable, batch: BatchRecord): Promise<SummaryApprovals> {
  const given = await approvalsOf(view, batch.batch_id);
  return {
    needed: batch.approvals_needed,
    given: given.map(({ person, approved_at }) => ({ person, at: isoTime(approved_at) })),
  };
}
