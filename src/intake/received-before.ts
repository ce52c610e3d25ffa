import { storedPolicy } from '../core/batch-policy.ts';
import { dayMs } from '../core/clock.ts';
import { beyondMaximum } from '../core/recipient-maximum.ts';
import type { BatchRecord } from '../ledger/batches.ts';
import type { Queryable } from '../ledger/database.ts';
import { anyLost } from '../ledger/lost-payments.ts';
import { sentLately } from '../ledger/sent-lately.ts';
import type { EarlierBatches } from './earlier-batches.ts';
import { holdBySent } from './sent-to-rows.ts';

/**
 * Holds the rows with which a number gets more than the batch's policy allows from all batches of the account; null where it sets no
 * maximum. What the file itself gives the number in several rows, and what is sent meanwhile, is found by the engine when a row's turn comes.
 */
export async function findReceivedBefore(db: Queryable, batch: BatchRecord): Promise<EarlierBatches | null> {
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
