import { AirbatchError } from '../../core/basics/errors.ts';
import type { Queryable } from '../drivers/database.ts';
import { type BatchRecord, batchesOfRun, findBatch, listBatches } from './batches.ts';

/** Batches of a run that are named to a person who gives the run instead of a batch. */
const batchesNamedMax = 3;

/** The batch; fails with `BATCH_UNKNOWN`, and says which batches a run has that was named instead. */
export async function requireBatch(db: Queryable, batchId: string): Promise<BatchRecord> {
  const batch = await findBatch(db, batchId);
  if (batch) return batch;
  // A run's name is a person's own choice, and what they remember.
  const ofRun = (await batchesOfRun(db, batchId, batchesNamedMax)).map(({ batch_id }) => batch_id);
  const hint = `"${batchId}" is a run, not a batch. Its batches, the newest first: ${ofRun.join(', ')} ("airbatch status").`;
  const named = batchId.trim() === '' ? '""' : batchId;
  throw new AirbatchError(
    'BATCH_UNKNOWN',
    `there is no batch ${named} in this ledger`,
    ofRun.length > 0 ? { hint } : await emptyLedgerHint(db),
  );
}

/** A ledger is made where there is none: a person in another folder than they think has one without any batch. */
async function emptyLedgerHint(db: Queryable): Promise<{ hint?: string }> {
  if ((await listBatches(db, 1)).length > 0) return {};
  return {
    hint: 'This ledger has no batches at all ("airbatch status"): go to the folder that has your ledger, or name it with --ledger.',
  };
}
