import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import {
  type RowChoice,
  requireReleaser,
  requireRowInState,
  rowsOfGroup,
} from '../../engine/decisions/release-or-skip.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import { heldRows } from '../../reports/summary/held.ts';
import { namedProblemsOf, personOf } from '../../reports/summary/stored.ts';
import { batchId, problemValues, rowNo, stableReason, sums } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { rowChoice, rowChoiceFields } from './row-choice.ts';

/** Shows which rows a release would make ready, for a person to check before they decide. */
export const reviewRelease = defineOperation({
  name: 'review-release',
  role: 'operate',
  ledger: 'change',
  showsNumbers: { of: 'held rows', role: 'operate' },
  input: z.strictObject({ batch_id: batchId, ...rowChoiceFields }),
  result: z.strictObject({
    batch_id: batchId,
    /** For `release-rows`, which then keeps rows that were held after this time. */
    seen: z.int(),
    held: z.int(),
    /** Their amounts, without products. */
    sums,
    /** Rows that buy a product. */
    products: z.int(),
    /** By the first problem of each row and the earlier batch that it names: how many rows, and some of them. */
    reasons: z.array(
      z.strictObject({
        code: z.string(),
        /** The batch that has sent, paid or tried the same; null if the problem names none. */
        earlier_batch: batchId.nullable(),
        count: z.int(),
        /** What these rows ask for, without products. */
        sums,
        examples: z.array(
          z.strictObject({
            row: rowNo,
            line: z.int(),
            /** The name in the file; null if the file has none. */
            person: z.string().nullable(),
            phone_number: z.string().nullable(),
            currency: z.string().nullable(),
            amount: z.string().nullable(),
            product_id: z.string().nullable(),
            why: z.string(),
            /** The same by problem. `values`: what the message names; null in ledgers of earlier versions. */
            problems: z.array(
              z.strictObject({ code: z.string(), message: z.string(), values: problemValues.nullable() }),
            ),
          }),
        ),
      }),
    ),
    /** Why `release-rows` refuses this person and needs a second person. Null if it does not refuse. */
    refusal: z.string().nullable(),
    refusal_reason: stableReason,
  }),
  async run({ session: { db }, actor }, { batch_id, ...choice }) {
    const batch = await requireBatch(db, batch_id);
    const chosen = await chosenRows(db, batch_id, rowChoice(choice));
    const { count, reasons, ...asked } = await heldRows(db, batch_id, chosen);
    const refused = count === 0 ? null : await requireReleaser(db, batch, chosen, actor).then(() => null, refusalOf);
    return {
      batch_id,
      seen: batch.audit_seq,
      held: count,
      ...asked,
      reasons: reasons.map(({ code, earlierBatch, count, sums, examples }) => ({
        ...{ code, earlier_batch: earlierBatch, count, sums },
        examples: examples.map((row) => exampleOf(batch, row)),
      })),
      refusal: refused?.message ?? null,
      refusal_reason: refused?.reason ?? null,
    };
  },
});

/** The chosen rows; null: all held rows. */
async function chosenRows(db: Queryable, batchId: string, choice: RowChoice): Promise<RowRecord[] | null> {
  if (!('length' in choice)) return rowsOfGroup(db, batchId, choice);
  const rows: RowRecord[] = [];
  for (const rowNo of choice) rows.push(await requireRowInState(db, { batchId, rowNo, status: 'held' }));
  return rows.length === 0 ? null : rows;
}

function refusalOf(error: unknown): AirbatchError {
  if (error instanceof AirbatchError && error.code === 'SECOND_PERSON_NEEDED') return error;
  throw error;
}

function exampleOf(batch: BatchRecord, row: RowRecord) {
  const { row_no, line, phone_number, currency, amount, product_id } = row;
  const problems = namedProblemsOf(row);
  return {
    row: row_no,
    line,
    person: personOf(batch, row, { mask: false }),
    phone_number,
    currency,
    amount,
    product_id,
    why: problems.map(({ message }) => message).join(' '),
    problems,
  };
}
