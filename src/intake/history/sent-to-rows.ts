import type { Sent } from '../../ledger/rows/sent-lately.ts';
import type { JudgedRow } from './earlier-batches.ts';

/** What is held for another reason is compared as well: who lets it go is to know of both. */
function mayBeSent({ status }: JudgedRow): boolean {
  return status === 'ready' || status === 'held';
}

/**
 * A problem of a row with what its number was sent; `until`: when the last of these payments was first sent (epoch
 * ms).
 */
export interface SentProblem {
  problem: Pick<JudgedRow['problems'][number], 'code' | 'message' | 'suggestion'>;
  until: number;
}

/**
 * Compares each row that may be sent with what its number was sent (`sentTo` asks for all of them at once), and holds
 * it where `find` has a problem with that.
 */
export async function holdBySent(
  rows: readonly JudgedRow[],
  sentTo: (numbers: readonly string[]) => Promise<Sent[]>,
  find: (row: JudgedRow, sent: readonly Sent[]) => Promise<SentProblem | null> | SentProblem | null,
): Promise<JudgedRow[]> {
  const numbers = rows.flatMap((row) => (mayBeSent(row) && row.phone_number !== null ? [row.phone_number] : []));
  const sent = Map.groupBy<string, Sent>(await sentTo([...new Set(numbers)]), ({ phone_number }) => phone_number);
  const judged: JudgedRow[] = [];
  for (const row of rows) {
    const found = mayBeSent(row) ? await find(row, sent.get(row.phone_number ?? '') ?? []) : null;
    if (!found) {
      judged.push(row);
      continue;
    }
    const problem = { ...found.problem, line: row.line, column: null, value: null };
    const told_until = Math.max(row.told_until ?? 0, found.until);
    judged.push({ ...row, status: 'held', problems: [...row.problems, problem], told_until });
  }
  return judged;
}
