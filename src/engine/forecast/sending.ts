import type { StoredPace } from '../../ledger/accounts/pace.ts';
import { type BatchRecord, openBatches } from '../../ledger/batches/batches.ts';
import { countRowsSending } from '../../ledger/batches/row-counts.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { waitsForFirstRows } from './can-progress.ts';
import { type Place, sendingOrder } from './sending-order.ts';

/** A batch of an account that is being sent or is about to be. */
export interface Sending extends Place {
  batch: string;
  /** The rows that it still has to send. */
  ready: number;
  firstAlone: boolean;
}

/** All batches of the account that are being sent or are about to be. */
export async function sendingOf(db: Queryable, account: string): Promise<Sending[]> {
  const counts = await countRowsSending(db, account);
  const sending: Sending[] = [];
  for (const batch of await openBatches(db, account)) {
    const ofBatch = counts.get(batch.batch_id);
    const ready = ofBatch?.get('ready') ?? 0;
    if (ofBatch === undefined || ready === 0) continue;
    sending.push(sendingAs(batch, ready, waitsForFirstRows(batch, ofBatch)));
  }
  return sending;
}

/** A batch in the queue of its account, with this many rows to send. */
export function sendingAs(batch: BatchRecord, ready: number, firstAlone = false): Sending {
  const { batch_id, priority, finish_by, boosted_at } = batch;
  return { batch: batch_id, priority, finish_by, boosted_at, ready, firstAlone };
}

/** Another batch of the account that sends rows before the last row of this one. */
export interface BatchBefore {
  batch: string;
  /** How many rows: all of them if it goes first; if they take turns, at most as many as this batch has. */
  rows: number;
  takesTurns: boolean;
  /**
   * Whether none of these rows can be sent now: the batch waits for its first rows to end, or for numbers that were
   * paid a moment ago.
   */
  stands: boolean;
}

/** The batches that send rows before the last of the `ready` rows of this one; those that go first come first. */
export function batchesBefore(
  batch: BatchRecord,
  { ready, pace, sending }: { ready: number; pace: Pick<StoredPace, 'spaced'>; sending: readonly Sending[] },
): BatchBefore[] {
  if (ready === 0) return [];
  const found: BatchBefore[] = [];
  for (const other of sending) {
    const order = sendingOrder(other, batch);
    if (other.batch === batch.batch_id || order > 0) continue;
    const isSpaced = (pace.spaced[other.batch]?.rows ?? 0) >= other.ready;
    found.push({
      batch: other.batch,
      rows: order < 0 ? other.ready : Math.min(other.ready, ready),
      takesTurns: order === 0,
      stands: isSpaced || other.firstAlone,
    });
  }
  return found.sort((a, b) => Number(a.takesTurns) - Number(b.takesTurns));
}
