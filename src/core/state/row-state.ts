import { AssertionError } from '../basics/assert.ts';

/** The states of a row. `sending` means that an intent is durable and its outcome is not: at a start it is a doubt. */
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
  | 'skip' // A person, or an earlier payment of the same row, makes it unnecessary.
  | 'cancel' // The batch is cancelled.
  | 'send' // An intent is committed; the request may be on the wire from here on.
  | 'unsent' // The request is proved never to have been accepted, and no earlier attempt is open.
  | 'doubt' // The outcome is not known.
  | 'accept' // The service has the payment, and it is not yet terminal there.
  | 'complete' // Delivered, as the service says (or a person, with evidence).
  | 'fail' // Refused or not delivered, as the service says (or a person, with evidence).
  | 'retry'; // A person or a policy starts the next generation after a confirmed failure.

/**
 * The one table of what may follow what. `failed` is the end of a generation; only an explicit retry opens the next.
 */
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

/** The state after `event`. Throws `AssertionError` where the table has no such move. */
export function transition(state: RowState, event: RowEvent): RowState {
  const next = transitions[state][event];
  if (next === undefined) throw new AssertionError(`a row that is ${state} cannot ${event}`);
  return next;
}

/** Rows that were sent, whatever became of them: a request of their generation was, or may have been, written. */
export const sentStates: readonly RowState[] = ['sending', 'accepted', 'in_doubt', 'completed', 'failed'];

export function wasSent(state: string): boolean {
  return (sentStates as readonly string[]).includes(state);
}

/** How many rows were sent of those that are counted here, by state. */
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

/** Terminal rows are finished with: nothing is sent or asked for them any more. */
export function isTerminal(state: string): boolean {
  return terminalStates.has(state);
}
