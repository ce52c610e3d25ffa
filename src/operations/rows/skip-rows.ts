import { z } from 'zod';
import { skipRows as skip } from '../../engine/decisions/release-or-skip.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { countRows } from '../../ledger/batches/row-counts.ts';
import { hasWorker } from '../base/account-now.ts';
import { batchId, batchStatus, isWorkedOn, reason } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { rowChoice, rowChoiceFields } from './row-choice.ts';

/** Skips held rows: they are not sent. With `unsent`, skips the rest of a batch that a person has paused. */
export const skipRows = defineOperation({
  name: 'skip-rows',
  role: 'operate',
  ledger: 'change',
  input: z.strictObject({
    batch_id: batchId,
    ...rowChoiceFields,
    why: reason,
    unsent: z.boolean().default(false),
    /**
     * `seen` from `review-release`: rows that were held after that time stay held. If it is left out: all that are held
     * now.
     */
    seen: z.int().optional(),
  }),
  result: z.strictObject({
    batch_id: batchId,
    skipped: z.int(),
    status: batchStatus,
    /** Rows that still wait to be sent. */
    ready: z.int(),
    is_worked_on: isWorkedOn,
  }),
  async run({ actor, session }, { batch_id, why, unsent, seen, ...choice }) {
    const which = { state: unsent ? ('ready' as const) : ('held' as const), seenSeq: seen ?? null };
    const skipped = await skip(actor, batch_id, rowChoice(choice), why, which);
    const { status, account } = await requireBatch(actor.db, batch_id);
    const ready = (await countRows(actor.db, batch_id)).get('ready') ?? 0;
    return { batch_id, skipped, status, ready, is_worked_on: await hasWorker(session, account) };
  },
});
