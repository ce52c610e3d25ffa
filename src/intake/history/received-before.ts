import { beyondMaximum } from '../../core/repeats/recipient-maximum.ts';
import { storedPolicy } from '../../core/state/batch-policy.ts';
import { dayMs } from '../../core/time/clock.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { anyLost } from '../../ledger/rows/lost-payments.ts';
import { sentLately } from '../../ledger/rows/sent-lately.ts';
import type { RepeatJudge } from './earlier-batches.ts';
import { holdBySent } from './sent-to-rows.ts';

/**
 * Holds the rows with which a number gets more than the batch's policy allows from all batches of the account; null
 * where it sets no maximum. What the file itself gives the number in several rows, and what is sent meanwhile, is
 * found by the engine when a row's turn comes.
 */
export async function findReceivedBefore(db: Queryable, batch: BatchRecord): Promise<RepeatJudge | null> {
  const { recipientMaximum } = storedPolicy(batch.policy);
  if (recipientMaximum === null) return null;
  const { account, batch_id, run_id, created_at } = batch;
  const since = created_at - recipientMaximum.days * dayMs;
  const query = { account, batchId: batch_id, since, withLost: await anyLost(db, account) };
  return (tx, rows) =>
    holdBySent(
      rows,
      (numbers) => sentLately(tx, query, numbers),
      (row, sent) =>
        beyondMaximum({ ...row, batch_id, run_id, told_until: null }, sent, { ...recipientMaximum, since }),
    );
}
