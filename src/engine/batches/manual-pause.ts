import type { EventData } from '../../ledger/audit/events.ts';
import type { BatchFields, BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { forgetFact, readFact, writeFact } from '../../ledger/schema/facts.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';

/**
 * A batch names one reason for its pause, and may have two. What a person stopped stays so when the other one is
 * mended, so that is kept beside a reason which has to be named first.
 */
const factName = (batchId: string) => `paused_by_person:${batchId}`;

/** Why a person paused the batch, whatever else it is paused for; null where nobody did. */
export async function manualPause(db: Queryable, batch: BatchRecord): Promise<string | null> {
  if (batch.status !== 'paused') return null;
  if (batch.pause_reason === 'by_person') return batch.pause_detail ?? '';
  return readFact(db, factName(batch.batch_id));
}

/** A person pauses a batch that is paused for another reason. */
export function addManualPause(tx: Queryable, batchId: string, why: string): Promise<void> {
  return writeFact(tx, factName(batchId), why);
}

/**
 * A batch that is paused stays so for another reason, of which its chain tells; what a person stopped it for is kept
 * beside that.
 */
export async function pauseForOtherReason(
  unit: Unit,
  batch: BatchRecord,
  pause: Pick<BatchFields, 'pause_reason' | 'pause_detail'>,
  data: EventData,
): Promise<void> {
  if (batch.pause_reason === 'by_person') await addManualPause(unit.tx, batch.batch_id, batch.pause_detail ?? '');
  await unit.noteBatch(batch, pause);
  await unit.append(batch.batch_id, 'batch.pause', { from: batch.status, to: batch.status, ...data });
}

/** A person lets the batch go on, or it has ended. */
export function clearManualPause(tx: Queryable, batchId: string): Promise<void> {
  return forgetFact(tx, factName(batchId));
}
