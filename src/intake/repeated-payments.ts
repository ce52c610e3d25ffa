import { storedPolicy } from '../core/batch-policy.ts';
import { repeatProblem } from '../core/earlier-payment.ts';
import type { BatchRecord } from '../ledger/batches.ts';
import type { Queryable } from '../ledger/database.ts';
import { anySentSince, sentLately } from '../ledger/sent-lately.ts';
import type { EarlierBatches } from './earlier-batches.ts';

const dayMs = 24 * 3_600_000;

/**
 * Holds the rows whose number was sent the same by another batch within the days that the batch's policy says, under another run id or
 * another reference; null where no other batch sent anything then. What is sent between now and the sending of a row is found by the engine when its turn comes.
 */
export async function findRepeatedPayments(db: Queryable, batch: BatchRecord): Promise<EarlierBatches | null> {
  const { repeatWithinDays } = storedPolicy(batch.policy);
  if (repeatWithinDays === 0) return null;
  const { account, batch_id: batchId, run_id } = batch;
  const query = { account, batchId, since: batch.created_at - repeatWithinDays * dayMs };
  if (!(await anySentSince(db, query))) return null;
  return async (tx, rows) => {
    const numbers = rows.flatMap(({ status, phone_number }) =>
      status === 'ready' && phone_number !== null ? [phone_number] : [],
    );
    const sent = Map.groupBy(await sentLately(tx, query, [...new Set(numbers)]), ({ phone_number }) => phone_number);
    return rows.map((row) => {
      const asking = { ...row, run_id, released_at: null };
      const found = row.status === 'ready' ? repeatProblem(asking, sent.get(row.phone_number ?? '') ?? []) : null;
      if (!found) return row;
      const problem = { ...found.problem, line: row.line, column: null, value: null };
      return { ...row, status: 'held', problems: [...row.problems, problem] };
    });
  };
}
