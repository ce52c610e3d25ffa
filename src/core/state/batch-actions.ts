import { type BatchState, can, hasEnded, isRetried, openStates, type PauseReason } from './batch-state.ts';
import type { RowState } from './row-state.ts';

/** What a person can do with a whole batch. `cancel`: skip all rows that are not sent yet. */
export const batchActions = ['pause', 'resume', 'reorder', 'retry', 'cancel', 'withdraw'] as const;
export type BatchAction = (typeof batchActions)[number];

/** The actions that airbatch does not refuse this person now. They also need the role of each. */
export function possibleActions(
  { status, forgotten_at, isSubmitter }: { status: BatchState; forgotten_at: number | null; isSubmitter: boolean },
  counts: Partial<Record<RowState, number>>,
  pauses: readonly { reason: PauseReason }[],
): BatchAction[] {
  const isPausedByPerson = pauses.some(({ reason }) => reason === 'by_person');
  const isPossible: Record<BatchAction, boolean> = {
    pause: openStates.includes(status) && !isPausedByPerson,
    resume: can(status, 'resume'),
    reorder: !hasEnded(status),
    retry: (counts.failed ?? 0) > 0 && isRetried(status) && forgotten_at === null,
    // Unsent rows can be skipped only while nothing can be sent, so that two people never work against each other.
    cancel: isPausedByPerson && (counts.ready ?? 0) > 0,
    withdraw: status === 'awaiting_approval' && isSubmitter,
  };
  return batchActions.filter((action) => isPossible[action]);
}
