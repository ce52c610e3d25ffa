import { AirbatchError } from '../../core/basics/errors.ts';
import { refusal } from '../../core/basics/refusal.ts';
import { batchIs, type Labelled } from '../../core/state/state-texts.ts';
import type { Queryable } from '../drivers/database.ts';
import { type BatchRecord, batchesOfRun, findBatch, listBatches } from './batches.ts';

/** The most batches of a run that are named to a person who gave the run id instead of a batch id. */
const batchesNamedMax = 3;

/** The batch. Fails with `BATCH_UNKNOWN`; if the id is a run id, the hint names the run's batches. */
export async function requireBatch(db: Queryable, batchId: string): Promise<BatchRecord> {
  const batch = await findBatch(db, batchId);
  if (batch) return batch;
  // People choose run ids themselves, and so remember them better.
  const ofRun = (await batchesOfRun(db, batchId, batchesNamedMax)).map(({ batch_id }) => batch_id);
  const hint = `"${batchId}" is a run, not a batch. Its batches, the newest first: ${ofRun.join(', ')} ("airbatch status").`;
  const named = batchId.trim() === '' ? '""' : batchId;
  throw new AirbatchError(
    'BATCH_UNKNOWN',
    `there is no batch ${named} in this ledger`,
    ofRun.length > 0 ? { hint } : await emptyLedgerHint(db),
  );
}

/** A ledger is created if none exists, so a person in the wrong folder has a ledger without batches. */
async function emptyLedgerHint(db: Queryable): Promise<{ hint?: string }> {
  if ((await listBatches(db, 1)).length > 0) return {};
  return {
    hint: 'This ledger has no batches at all ("airbatch status"): go to the folder that has your ledger, or name it with --ledger.',
  };
}

/** The error of a batch whose state does not allow something: `why` is what follows from the state. */
export function wrongState(batch: Labelled & Pick<BatchRecord, 'batch_id'>, why: string, hint?: string): AirbatchError {
  const { batch_id, status } = batch;
  return new AirbatchError('BATCH_STATE', `batch ${batch_id} ${batchIs(batch)}${why === '' ? '' : `: ${why}`}`, {
    reason: refusal('BATCH_IS', { batch_status: status }),
    ...(hint === undefined ? {} : { hint }),
  });
}

/** Where a person sees what else can be done about a batch. */
export function statusHint({ batch_id }: Pick<BatchRecord, 'batch_id'>): string {
  return `See "airbatch status ${batch_id}" for where the batch stands.`;
}
