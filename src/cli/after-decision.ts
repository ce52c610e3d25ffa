import type { BatchRecord } from '../ledger/batches.ts';

/** What is to be done once a person has decided about rows of a batch; `resumed` says what `airbatch resume` does then. */
export function afterDecision({ batch_id: id, status }: BatchRecord, resumed: string): string {
  return status === 'awaiting_approval'
    ? `The batch still waits for a second person: "airbatch approve ${id}".`
    : `"airbatch resume ${id}" ${resumed}.`;
}
