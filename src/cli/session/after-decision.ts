import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { type LedgerNow, workerOf } from './account-now.ts';

/**
 * What is to be done once a person has decided about rows of a batch; `resumed` says what `airbatch resume` does then.
 */
export async function afterDecision(
  session: LedgerNow,
  { batch_id: id, status, account }: BatchRecord,
  resumed: string,
): Promise<string> {
  if (status === 'awaiting_approval') return `The batch still waits for a second person: "airbatch approve ${id}".`;
  // Only a person lifts a pause.
  if (status !== 'paused' && (await workerOf(session, account)) !== null)
    return 'Another airbatch is working for this account and goes on with the batch.';
  return `"airbatch resume ${id}" ${resumed}.`;
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
