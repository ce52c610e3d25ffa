import type { BatchState } from '../../core/state/batch-state.ts';

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

/**
 * Who sends a batch that has just been approved: a program that works for its account begins at once, but may stop
 * before the end.
 */
export function sendsText({ batch_id: id, is_worked_on }: { batch_id: string; is_worked_on: boolean }): string {
  return is_worked_on
    ? `Another airbatch is working for this account and sends it. If that stops first: airbatch resume ${id}`
    : `Nothing was sent. Next: airbatch resume ${id}, or "airbatch serve".`;
}
