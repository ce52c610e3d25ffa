import { z } from 'zod';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { requireRow } from '../../ledger/rows/rows.ts';
import { batchId, problems, problemValues, rowNo, rowStatus } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { shownProblems } from '../base/row-texts.ts';

/**
 * Shows the state of a row and the problems that intake found. The problems are not in the audit chain, which names
 * nobody.
 */
export const showRow = defineOperation({
  name: 'show-row',
  role: 'audit',
  ledger: 'change',
  input: z.strictObject({ batch_id: batchId, row: rowNo }),
  result: z.strictObject({
    batch_id: batchId,
    row_no: rowNo,
    /** Where the row begins in its file. */
    line: z.int(),
    status: rowStatus,
    /** `values`: what the message names; null in ledgers of earlier versions. */
    problems: z.array(problems.element.extend({ values: problemValues.nullable() })),
    /** Whether the batch's people were erased. Then the row's problems are not known any more. */
    is_forgotten: z.boolean(),
  }),
  async run({ session }, { batch_id, row }) {
    const { db } = session;
    const { forgotten_at } = await requireBatch(db, batch_id);
    const found = await requireRow(db, batch_id, row);
    const { row_no, line, status } = found;
    const problems = shownProblems(session, found);
    return { batch_id, row_no, line, status, problems, is_forgotten: forgotten_at !== null };
  },
});
