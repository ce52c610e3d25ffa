import { repeatProblem } from '../../core/repeats/repeated-payment.ts';
import { storedPolicy } from '../../core/state/batch-policy.ts';
import { dayMs } from '../../core/time/clock.ts';
import { type BatchRecord, runSoFar } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { makeFileRefs } from '../../ledger/rows/file-refs.ts';
import { anyLost, unreadTo } from '../../ledger/rows/lost-payments.ts';
import { anySentSince, sentLately } from '../../ledger/rows/sent-lately.ts';
import type { RepeatJudge } from './earlier-batches.ts';
import { holdBySent } from './sent-to-rows.ts';

/**
 * Holds the rows whose number was sent the same by another batch within the days that the batch's policy says, under
 * another run id or another reference, and those that may repeat or correct what their own run has sent, however long
 * ago, where no reference tells them apart; null where no other batch sent anything then. What is sent between now and
 * the sending of a row is found by the engine when its turn comes.
 */
export async function findRepeatedPayments(db: Queryable, batch: BatchRecord): Promise<RepeatJudge | null> {
  const { repeatWithinDays: days } = storedPolicy(batch.policy);
  const { account, batch_id: batchId, run_id, created_at: asOf } = batch;
  const withLost = await anyLost(db, account);
  if (days === 0 && !withLost) return null;
  const since = asOf - days * dayMs;
  const { firstAt } = await runSoFar(db, account, run_id);
  const query = { account, batchId, since: Math.min(since, firstAt ?? since), withLost };
  if (!withLost && !(await anySentSince(db, query))) return null;
  const sentTo = (tx: Queryable, numbers: readonly string[]) =>
    days === 0 ? unreadTo(tx, account, numbers) : sentLately(tx, query, numbers);
  const file = makeFileRefs(batchId);
  return (tx, rows) =>
    holdBySent(
      rows,
      (numbers) => sentTo(tx, numbers),
      async (row, sent) => {
        if (sent.length === 0) return null;
        return repeatProblem({ ...row, run_id, told_until: null, days, asOf }, sent, (rowRef) => file.has(tx, rowRef));
      },
    );
}
