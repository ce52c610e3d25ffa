import { storedPolicy } from '../core/batch-policy.ts';
import { dayMs } from '../core/clock.ts';
import { repeatProblem } from '../core/earlier-payment.ts';
import { type BatchRecord, runSoFar } from '../ledger/batches.ts';
import type { Queryable } from '../ledger/database.ts';
import { makeFileRefs } from '../ledger/file-refs.ts';
import { anyLost, unreadTo } from '../ledger/lost-payments.ts';
import { anySentSince, type Sent, sentLately } from '../ledger/sent-lately.ts';
import type { EarlierBatches, JudgedRow } from './earlier-batches.ts';

/**
 * Holds the rows whose number was sent the same by another batch within the days that the batch's policy says, under another run id or
 * another reference, and those that may repeat or correct what their own run has sent, however long ago, where no reference tells them
 * apart; null where no other batch sent anything then. What is sent between now and the sending of a row is found by the engine when its
 * turn comes.
 */
export async function findRepeatedPayments(db: Queryable, batch: BatchRecord): Promise<EarlierBatches | null> {
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
  return async (tx, rows) => {
    const numbers = rows.flatMap((row) => (mayBeSent(row) && row.phone_number !== null ? [row.phone_number] : []));
    const sent = Map.groupBy<string, Sent>(await sentTo(tx, [...new Set(numbers)]), ({ phone_number }) => phone_number);
    const judged: JudgedRow[] = [];
    for (const row of rows) {
      const toTheSameNumber = mayBeSent(row) ? sent.get(row.phone_number ?? '') : undefined;
      const asking = { ...row, run_id, told_until: null, days, asOf };
      const found = toTheSameNumber && (await repeatProblem(asking, toTheSameNumber, (rowRef) => file.has(tx, rowRef)));
      if (!found) {
        judged.push(row);
        continue;
      }
      const problem = { ...found.problem, line: row.line, column: null, value: null };
      judged.push({ ...row, status: 'held', problems: [...row.problems, problem], told_until: found.until });
    }
    return judged;
  };
}

/** What is held for another reason is compared as well: who lets it go is to know of both. */
export function mayBeSent({ status }: JudgedRow): boolean {
  return status === 'ready' || status === 'held';
}
