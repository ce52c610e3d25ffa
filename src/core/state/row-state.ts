import { AssertionError } from '../basics/assert.ts';

/**
 * The states of a row. `sending` means that the intent is durable and the outcome is not: at a start, such a row is in
 * doubt.
 */
export const rowStates = [
  'invalid',
  'skipped',
  'held',
  'ready',
  'sending',
  'accepted',
  'in_doubt',
  'completed',
  'failed',
  'cancelled',
] as const;
export type RowState = (typeof rowStates)[number];

export type RowEvent =
  | 'release' // A person decides that a held row may be sent.
  | 'hold' // A guard wants a person to look at it.
  | 'skip' // A person decides not to send it, or an earlier payment makes it unnecessary.
  | 'cancel' // The batch is cancelled.
  | 'send' // An intent is committed; from here on the request may be on the wire.
  | 'unsent' // The service has certainly not accepted the request, and no earlier attempt is open.
  | 'doubt' // The outcome is not known.
  | 'accept' // The service has the payment, and it is not yet terminal there.
  | 'complete' // Delivered, according to the service (or to a person, with evidence).
  | 'fail' // Refused or not delivered, according to the service (or to a person, with evidence).
  | 'retry'; // A person or a policy starts the next generation after a confirmed failure.

/** The only table of transitions. `failed` ends a generation; only an explicit retry opens the next one. */
const transitions: Record<RowState, Partial<Record<RowEvent, RowState>>> = {
  invalid: {},
  skipped: {},
  held: { release: 'ready', skip: 'skipped', cancel: 'cancelled' },
  ready: { send: 'sending', doubt: 'in_doubt', hold: 'held', skip: 'skipped', cancel: 'cancelled' },
  sending: { unsent: 'ready', doubt: 'in_doubt', accept: 'accepted', complete: 'completed', fail: 'failed' },
  in_doubt: { send: 'sending', accept: 'accepted', complete: 'completed', fail: 'failed' },
  accepted: { complete: 'completed', fail: 'failed' },
  completed: {},
  failed: { retry: 'ready' },
  cancelled: {},
};

/** The state after `event`. Throws `AssertionError` if the table has no such transition. */
export function transition(state: RowState, event: RowEvent): RowState {
  const next = transitions[state][event];
  if (next === undefined) throw new AssertionError(`a row that is ${state} cannot ${event}`);
  return next;
}

/**
 * States of rows that were sent, whatever happened to them: a request of their generation was written, or may have
 * been.
 */
export const sentStates: readonly RowState[] = ['sending', 'accepted', 'in_doubt', 'completed', 'failed'];

export function wasSent(state: string): boolean {
  return (sentStates as readonly string[]).includes(state);
}

/** How many of the counted rows were sent, by state. */
export function sentAmong(counts: ReadonlyMap<string, number>): number {
  return sentStates.reduce((sum, state) => sum + (counts.get(state) ?? 0), 0);
}

const terminalStates: ReadonlySet<string> = new Set<RowState>([
  'invalid',
  'skipped',
  'completed',
  'failed',
  'cancelled',
]);

/** Terminal rows are finished: nothing is sent or looked up for them any more. */
export function isTerminal(state: string): boolean {
  return terminalStates.has(state);
}
