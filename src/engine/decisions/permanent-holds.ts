import { assert } from '../../core/basics/assert.ts';
import { AirbatchError } from '../../core/basics/errors.ts';
import { type DuplicateDecision, decideByOwner } from '../../core/duplicates/decision-table.ts';
import type { DuplicateProblem } from '../../core/duplicates/duplicate-problems.ts';
import { generationsMax } from '../../core/state/earlier-payment.ts';
import { rowsHeldSince } from '../../ledger/audit/audit-pages.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { findPayment } from '../../ledger/rows/payments.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import { otherOwner } from '../dispatch/intents.ts';
import { paymentNames } from '../payments/payment-request.ts';

/** A row that stays held when a person releases others: why, and what to do. */
export interface PermanentlyHeldRow {
  row: number;
  code: string;
  why: string;
  suggestion: string;
}

/** The reason for which dispatch would hold a row again after its release; null if dispatch would send it. */
export async function permanentHold(
  db: Queryable,
  batch: BatchRecord,
  row: RowRecord,
): Promise<DuplicateProblem | null> {
  const first = await decisionAs(db, batch, row, row.generation);
  if (first?.outcome !== 'hold') return null;
  // Another batch may have retried the payment since. What the person can do depends on the last attempt.
  let last = first;
  for (let generation = row.generation + 1; generation <= generationsMax; generation++)
    last = (await decisionAs(db, batch, row, generation)) ?? last;
  const [problem] = last.problems;
  assert(problem, 'a row is not skipped or held without a reason');
  return last.outcome === 'hold' ? problem : { ...problem, suggestion: 'Skip it here.' };
}

/** The decision if a row of another batch has bound the key of this row's payment of this generation; else null. */
async function decisionAs(
  db: Queryable,
  batch: BatchRecord,
  row: RowRecord,
  generation: number,
): Promise<DuplicateDecision | null> {
  const payment = await findPayment(db, paymentNames(batch, row, generation).key);
  const owner = payment && (await otherOwner(db, row, payment));
  return owner && decideByOwner(row, owner, 'never');
}

/** The error for a row that a person named and that would be held again. */
export function notReleasable({ batch_id }: BatchRecord, { row_no }: RowRecord, hold: DuplicateProblem): AirbatchError {
  const message = `row ${row_no} of batch ${batch_id} would be held again (${hold.code}), so nothing was released. ${hold.message}`;
  return new AirbatchError('ROW_NOT_RELEASABLE', message, { hint: hold.suggestion });
}

/**
 * The rows that were held after a person saw the held rows, at event `seenSeq` of the batch's history. While the person
 * decides, another process may hold more rows. Null: the person was shown no rows, so none counts as unseen.
 */
export function makeUnseenHolds(seenSeq: number | null) {
  const unseen = new Set<number>();
  let readTo = seenSeq;
  return {
    /**
     * Reads the history up to the batch's current event. Call it in the transaction that releases rows, so that no row
     * is held in between.
     */
    async read(db: Queryable, { batch_id, audit_seq }: BatchRecord): Promise<void> {
      if (readTo === null) return;
      for (const rowNo of await rowsHeldSince(db, batch_id, readTo)) unseen.add(rowNo);
      readTo = audit_seq;
    },
    has: (rowNo: number) => unseen.has(rowNo),
  };
}

/** Why a row stays held: it was held after the person looked. */
export function unseenHold({ row_no, problems }: RowRecord): PermanentlyHeldRow {
  const [first] = JSON.parse(problems ?? '[]') as { code: string; message: string }[];
  return {
    row: row_no,
    code: first?.code ?? '',
    why: first?.message ?? '',
    suggestion: 'It was held after you were asked: look at it, and release it then.',
  };
}
