import { type Situation, situationOf, unknownNumbers } from '../../core/state/situation.ts';
import type { BatchSummary } from './summary-shape.ts';

/**
 * The situation of a batch as far as its summary shows it: not what the account waits for at this moment.
 * `isWorkedOn`: whether a program works for the account, null where that is not known; `paidSince`: failed and invalid
 * rows that later batches of the run have paid.
 */
export function situationOfSummary(
  { status, approvals, rows, pause, in_doubt, overdue, contradicted, paid_twice }: BatchSummary,
  { isWorkedOn = null, paidSince = 0 }: { isWorkedOn?: boolean | null; paidSince?: number } = {},
): Situation {
  return situationOf({
    ...unknownNumbers,
    status,
    approvals: { given: approvals.given.length, needed: approvals.needed, isExpired: false },
    counts: rows.by_status,
    pauses: pause === null ? [] : [pause.reason],
    leftToPerson: in_doubt.left_to_person,
    overdue: overdue.rows,
    contradicted: contradicted.rows,
    paidTwice: paid_twice.rows,
    paidSince,
    isWorkedOn,
  });
}
