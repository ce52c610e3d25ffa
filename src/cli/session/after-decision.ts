import type { BatchState } from '../../core/state/batch-state.ts';

/** What to do next once a person has decided about rows of a batch. `resumed` says what `airbatch resume` then does. */
export function decidedText(
  { batch_id: id, status, is_worked_on }: { batch_id: string; status: BatchState; is_worked_on: boolean },
  resumed: string,
): string {
  if (status === 'awaiting_approval') return `The batch still waits for a second person: "airbatch approve ${id}".`;
  // Only a person clears a pause.
  if (status !== 'paused' && is_worked_on)
    return 'Another airbatch is working for this account and continues the batch.';
  return `"airbatch resume ${id}" ${resumed}.`;
}

/**
 * Says who sends a newly approved batch. A program that works for the account begins at once, but may stop before the
 * end.
 */
export function sendsText({ batch_id: id, is_worked_on }: { batch_id: string; is_worked_on: boolean }): string {
  return is_worked_on
    ? `Another airbatch is working for this account and sends it. If that stops first: airbatch resume ${id}`
    : `Nothing was sent. Next: airbatch resume ${id}, or "airbatch serve".`;
}
