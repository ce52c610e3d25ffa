import { z } from 'zod';
import { releaseRows as release } from '../../engine/decisions/release-or-skip.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { hasWorker } from '../base/account-now.ts';
import { batchId, batchStatus, isWorkedOn, rowNo } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { rowChoice, rowChoiceFields } from './row-choice.ts';

/** Releases held rows, except rows that would be held again, and rows that nobody has seen. */
export const releaseRows = defineOperation({
  name: 'release-rows',
  role: 'operate',
  ledger: 'change',
  input: z.strictObject({
    batch_id: batchId,
    ...rowChoiceFields,
    /**
     * `seen` from `review-release`: rows that were held after that time stay held. If it is left out: the time of this
     * call.
     */
    seen: z.int().optional(),
  }),
  result: z.strictObject({
    batch_id: batchId,
    released: z.int(),
    /** Rows that stay held. */
    kept: z.array(z.strictObject({ row: rowNo, code: z.string(), why: z.string(), suggestion: z.string() })),
    status: batchStatus,
    is_worked_on: isWorkedOn,
  }),
  async run({ actor, session }, { batch_id, seen, ...choice }) {
    const { audit_seq } = await requireBatch(actor.db, batch_id);
    const done = await release(actor, batch_id, rowChoice(choice), seen ?? audit_seq);
    const { status, account } = await requireBatch(actor.db, batch_id);
    return { batch_id, ...done, status, is_worked_on: await hasWorker(session, account) };
  },
});
