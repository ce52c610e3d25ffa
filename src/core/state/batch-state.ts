import { AssertionError } from '../basics/assert.ts';

/** The states of a batch (one intake of one file for one account). */
export const batchStates = [
  'received',
  'rejected',
  'validated',
  'awaiting_approval',
  'approved',
  'running',
  'paused',
  'completed',
  'cancelled',
] as const;
export type BatchState = (typeof batchStates)[number];

export type BatchEvent =
  | 'reject' // The file cannot be read as a payout file.
  | 'validate' // Every row of the file is in the ledger, checked.
  | 'request_approval'
  | 'approve'
  | 'start'
  | 'pause'
  | 'resume'
  | 'complete' // Every row is terminal.
  | 'cancel'
  | 'reopen'; // Failed rows are retried under a new generation.

/** If a batch is paused for several reasons, the one earliest in this list must be dealt with first. */
export const pauseReasons = [
  // The account uses another service than the batch was made for: nothing is sent or looked up for the batch there.
  'service_changed',
  // The service answered with a different payment. A person must look at it before anything more is sent.
  'service_mismatch',
  'credentials_rejected',
  'guard_tripped',
  'insufficient_balance',
  'by_person',
] as const;
export type PauseReason = (typeof pauseReasons)[number];

/**
 * The pauses that end only when a person resumes the batch by its id. A person must look at payments or failures first;
 * a schedule that resumes all batches would pay on without that.
 */
export const pausesToLookAt: readonly PauseReason[] = ['service_mismatch', 'guard_tripped', 'by_person'];

const transitions: Record<BatchState, Partial<Record<BatchEvent, BatchState>>> = {
  received: { reject: 'rejected', validate: 'validated', cancel: 'cancelled' },
  rejected: {},
  validated: { request_approval: 'awaiting_approval', approve: 'approved', cancel: 'cancelled' },
  awaiting_approval: { approve: 'approved', cancel: 'cancelled' },
  approved: { start: 'running', pause: 'paused', cancel: 'cancelled' },
  running: { pause: 'paused', complete: 'completed', cancel: 'cancelled' },
  paused: { resume: 'running', complete: 'completed', cancel: 'cancelled' },
  completed: { reopen: 'running' },
  cancelled: {},
};

/**
 * The state after `event`. Throws `AssertionError` if the table has no such transition: callers check with `can` first.
 */
export function transition(state: BatchState, event: BatchEvent): BatchState {
  const next = transitions[state][event];
  if (next === undefined) throw new AssertionError(`a batch that is ${state} cannot ${event}`);
  return next;
}

/** Whether `event` is possible in `state`. */
export function can(state: BatchState, event: BatchEvent): boolean {
  return transitions[state][event] !== undefined;
}

/** States in which the rows of a batch are being sent, or are about to be. */
export const sendingStates: readonly BatchState[] = ['approved', 'running'];
/** States of a batch that a program works on: it sends its rows, or only follows those that were sent. */
export const openStates: readonly BatchState[] = [...sendingStates, 'paused'];

/** Whether rows of a batch may still be sent, now or after a person's decision. */
export function maySend(status: BatchState): boolean {
  return status === 'awaiting_approval' || openStates.includes(status);
}

/** Whether failed rows of a batch can be paid again: some of its rows may have been sent. */
export function isRetried(status: BatchState): boolean {
  return ['running', 'paused', 'completed'].includes(status);
}

/** Whether a batch has ended. Only a retry of failed rows opens a completed one again. */
export function hasEnded(status: string): boolean {
  return status === 'completed' || status === 'cancelled' || status === 'rejected';
}
