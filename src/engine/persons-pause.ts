import type { BatchRecord } from '../ledger/batches.ts';
import type { Queryable } from '../ledger/database.ts';
import { forgetFact, readFact, writeFact } from '../ledger/facts.ts';

/**
 * A batch names one reason for its pause, and may have two. What a person stopped stays so when the other one is mended, so that is kept
 * beside a reason which has to be named first.
 */
const factName = (batchId: string) => `paused_by_person:${batchId}`;

/** Why a person paused the batch, whatever else it is paused for; null where nobody did. */
export async function personsPause(db: Queryable, batch: BatchRecord): Promise<string | null> {
  if (batch.status !== 'paused') return null;
  if (batch.pause_reason === 'by_person') return batch.pause_detail ?? '';
  return readFact(db, factName(batch.batch_id));
}

/** A person pauses a batch that is paused for another reason. */
export function addPersonsPause(tx: Queryable, batchId: string, why: string): Promise<void> {
  return writeFact(tx, factName(batchId), why);
}

/** Called before another reason is written over the one that the batch names. */
export async function keepPersonsPause(tx: Queryable, batch: BatchRecord): Promise<void> {
  if (batch.status === 'paused' && batch.pause_reason === 'by_person')
    await addPersonsPause(tx, batch.batch_id, batch.pause_detail ?? '');
}

/** A person lets the batch go on, or it has ended. */
export function dropPersonsPause(tx: Queryable, batchId: string): Promise<void> {
  return forgetFact(tx, factName(batchId));
}
