import type { BatchState } from '../../core/state/batch-state.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { type LedgerNow, workerOf } from '../../operations/base/account-now.ts';

/**
 * What is to be done once a person has decided about rows of a batch; `resumed` says what `airbatch resume` does then.
 */
export function decidedText(
  { batch_id: id, status, is_worked_on }: { batch_id: string; status: BatchState; is_worked_on: boolean },
  resumed: string,
): string {
  if (status === 'awaiting_approval') return `The batch still waits for a second person: "airbatch approve ${id}".`;
  // Only a person lifts a pause.
  if (status !== 'paused' && is_worked_on)
    return 'Another airbatch is working for this account and goes on with the batch.';
  return `"airbatch resume ${id}" ${resumed}.`;
}

/** The same, of a batch in the ledger. */
export async function afterDecision(session: LedgerNow, batch: BatchRecord, resumed: string): Promise<string> {
  return decidedText({ ...batch, is_worked_on: (await workerOf(session, batch.account)) !== null }, resumed);
}

/**
 * Who sends a batch that has just been approved: a program that works for its account begins at once, but may stop
 * before the end.
 */
export async function sendsText(session: LedgerNow, { batch_id: id, account }: BatchRecord): Promise<string> {
  return (await workerOf(session, account)) === null
    ? `Nothing was sent. Next: airbatch resume ${id}, or "airbatch serve".`
    : `Another airbatch is working for this account and sends it. If that stops first: airbatch resume ${id}`;
}
