import type { BatchRecord } from '../ledger/batches.ts';
import { type LedgerNow, workerOf } from './account-now.ts';

/** What is to be done once a person has decided about rows of a batch; `resumed` says what `airbatch resume` does then. */
export function afterDecision({ batch_id: id, status }: BatchRecord, resumed: string): string {
  return status === 'awaiting_approval'
    ? `The batch still waits for a second person: "airbatch approve ${id}".`
    : `"airbatch resume ${id}" ${resumed}.`;
}

/** Who sends a batch that has just been approved: whoever works on its account already begins at once, but may not stay to its end. */
export async function sendsText(session: LedgerNow, { batch_id: id, account }: BatchRecord): Promise<string> {
  return (await workerOf(session, account)) === null
    ? `Nothing was sent. Next: airbatch resume ${id}, or "airbatch serve".`
    : `A program works on its account now, and sends it as well. What that leaves: airbatch resume ${id}.`;
}
