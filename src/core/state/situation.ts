import { z } from 'zod';
import { unreachable } from '../basics/assert.ts';
import { type BatchState, type PauseReason, pauseReasons } from './batch-state.ts';
import { isTerminal, type RowState } from './row-state.ts';

/** What a batch is doing. */
export const doings = [
  'reading', // Its file is being read and checked.
  'unreadable',
  'unanswered', // Nobody has decided yet whether it is sent.
  'awaiting_approval',
  'starting',
  'sending',
  'following', // Everything is sent; airbatch follows the payments until they end.
  'interrupted', // It could continue, but no program works on it.
  'waiting', // Only a person's decision lets it continue.
  'paused',
  'finished',
  'cancelled',
] as const;
export type Doing = (typeof doings)[number];

/** What is needed, who can give it (`from`), and the role of the person who can, if a person can. */
const givers = {
  answer: { from: 'person', role: 'prepare' },
  approve: { from: 'person', role: 'approve' },
  // It has waited for too long to be approved: it is rejected, and its file is submitted again.
  reject: { from: 'person', role: 'approve' },
  resume: { from: 'person', role: 'operate' },
  fund: { from: 'money', role: null },
  release: { from: 'person', role: 'operate' },
  resolve: { from: 'person', role: 'resolve' },
  // The service has rows for longer than it promises; a person may decide about them instead.
  end_overdue: { from: 'service', role: 'resolve' },
  end_throttle: { from: 'service', role: null },
  answer_again: { from: 'service', role: null },
  // After a restore: the service's list of what was paid since.
  read_list: { from: 'program', role: null },
  end_first_rows: { from: 'service', role: null },
  end_rows: { from: 'service', role: null },
  look_up: { from: 'program', role: null },
  work: { from: 'program', role: null },
  // A row may have been paid twice: a person asks the service to reverse one of the payments.
  reverse: { from: 'service', role: 'resolve' },
  correct: { from: 'person', role: 'prepare' },
} as const;
export type NeedKind = keyof typeof givers;
export const needKinds = Object.keys(givers) as [NeedKind, ...NeedKind[]];
export const needGivers = ['person', 'money', 'service', 'program'] as const;

export interface Need {
  what: NeedKind;
  from: (typeof needGivers)[number];
  role: 'prepare' | 'approve' | 'operate' | 'resolve' | null;
  /** How many rows are concerned. */
  rows: number;
  /** When it is due, or ends (epoch ms); null if that is not known. */
  at: number | null;
}

/** What keeps rows from being sent. */
export const holdReasons = [
  ...pauseReasons,
  'throttled',
  'unreachable',
  'list_unread',
  'first_rows',
  'no_program',
] as const;
type HoldReason = (typeof holdReasons)[number];

/** How many rows of a batch are in which situation. */
export const situationRows = z.strictObject({
  total: z.int(),
  /** Rows that have not ended. */
  open: z.int(),
  to_send: z.int(),
  at_service: z.int(),
  in_doubt: z.int(),
  /** Rows in doubt that airbatch no longer looks up: a person decides. */
  left_to_person: z.int(),
  held: z.int(),
  overdue: z.int(),
  /** Failed and invalid rows, except failed rows that count as paid because the service contradicts the failure. */
  unpaid: z.int(),
  paid_twice: z.int(),
});

export interface Situation {
  doing: Doing;
  /** What keeps rows from being sent. The first hold must be dealt with first. */
  holds: HoldReason[];
  /** What the batch waits for; null if nobody has to do anything now. */
  next: Need | null;
  /** What else is needed and can be given in the meantime. */
  meanwhile: Need[];
  /** How many different people have approved a batch that waits for approval, of how many; null for any other. */
  approvals: { given: number; needed: number } | null;
  rows: z.output<typeof situationRows>;
}

/** The numbers of a batch. Times are epoch ms. */
export interface BatchNumbers {
  status: BatchState;
  /** How many different people have approved it, how many must, and whether it has waited for too long. */
  approvals: { given: number; needed: number; isExpired: boolean };
  counts: Partial<Record<RowState, number>>;
  /** Why the batch is paused. The first pause must be dealt with first. */
  pauses: readonly PauseReason[];
  leftToPerson: number;
  /** When the next row in doubt is looked up; null if that is not known. */
  lookupAt: number | null;
  overdue: number;
  /** Whether the first rows, which are sent alone, are all sent, and the others wait until these have ended. */
  waitsForFirstRows: boolean;
  contradicted: number;
  paidTwice: number;
  /** Failed and invalid rows that later batches of the run have paid. */
  paidSince: number;
  /** Whether a program works for the account; null if that is not known. */
  isWorkedOn: boolean | null;
  /** Until when the service throttles the account; null if it does not. */
  throttledUntil: number | null;
  isUnreachable: boolean;
  /** Whether nothing is sent before the service's list of what was paid since a restore is read. */
  isListUnread: boolean;
  /** Whether the account resumes by itself when it has money again. */
  resumesWhenFunded: boolean;
}

/** What is assumed of a batch if only its status and the states of its rows are known. */
export const unknownNumbers: Omit<BatchNumbers, 'status' | 'counts'> = {
  approvals: { given: 0, needed: 0, isExpired: false },
  pauses: [],
  leftToPerson: 0,
  lookupAt: null,
  overdue: 0,
  waitsForFirstRows: false,
  contradicted: 0,
  paidTwice: 0,
  paidSince: 0,
  isWorkedOn: null,
  throttledUntil: null,
  isUnreachable: false,
  isListUnread: false,
  resumesWhenFunded: false,
};

/** Says what a batch is doing, what holds it, and what is needed next from whom. */
export function situationOf(numbers: BatchNumbers): Situation {
  const rows = rowsOf(numbers);
  const doing = doingOf(numbers, rows);
  const { given, needed } = numbers.approvals;
  const approvals = doing === 'awaiting_approval' ? { given, needed } : null;
  return { doing, holds: holdsOf(numbers, doing), ...needsOf(numbers, doing, rows), approvals, rows };
}

/** Whether something is needed, now or in the meantime, that a person can give. Nobody else adds money to a wallet. */
export function needsPerson({ next, meanwhile }: Pick<Situation, 'next' | 'meanwhile'>): boolean {
  return [next, ...meanwhile].some((need) => need !== null && (need.role !== null || need.from === 'money'));
}

function rowsOf({ counts, leftToPerson, overdue, contradicted, paidTwice }: BatchNumbers): Situation['rows'] {
  const of = (state: RowState) => counts[state] ?? 0;
  const all = Object.entries(counts);
  return {
    total: all.reduce((sum, [, count]) => sum + count, 0),
    open: all.reduce((sum, [state, count]) => sum + (isTerminal(state) ? 0 : count), 0),
    to_send: of('ready'),
    at_service: of('sending') + of('accepted'),
    in_doubt: of('in_doubt'),
    left_to_person: leftToPerson,
    held: of('held'),
    overdue,
    unpaid: of('failed') - contradicted + of('invalid'),
    paid_twice: paidTwice,
  };
}

function doingOf({ status, waitsForFirstRows, isWorkedOn }: BatchNumbers, rows: Situation['rows']): Doing {
  switch (status) {
    case 'received':
      return 'reading';
    case 'rejected':
      return 'unreadable';
    case 'validated':
      return 'unanswered';
    case 'awaiting_approval':
    case 'paused':
    case 'cancelled':
      return status;
    case 'completed':
      return 'finished';
    case 'approved':
    case 'running': {
      const maySend = maySendMore(rows, waitsForFirstRows);
      const lookedUp = rows.in_doubt - rows.left_to_person;
      if (rows.open > 0 && !maySend && rows.at_service + lookedUp === 0) return 'waiting';
      if (status === 'approved') return 'starting';
      if (isWorkedOn === false) return 'interrupted';
      return maySend && !waitsForFirstRows ? 'sending' : 'following';
    }
    default:
      return unreachable(status);
  }
}

/** Whether ready rows may be sent: not if one of the first rows, which go alone, is in doubt. */
export function maySendMore(
  { to_send, in_doubt }: Pick<Situation['rows'], 'to_send' | 'in_doubt'>,
  waitsForFirstRows: boolean,
): boolean {
  return to_send > 0 && !(waitsForFirstRows && in_doubt > 0);
}

function holdsOf(numbers: BatchNumbers, doing: Doing): HoldReason[] {
  if (!isOpen(doing)) return [];
  const holds: HoldReason[] = [...numbers.pauses];
  if (numbers.throttledUntil !== null) holds.push('throttled');
  if (numbers.isUnreachable) holds.push('unreachable');
  if (numbers.isListUnread) holds.push('list_unread');
  if (numbers.waitsForFirstRows) holds.push('first_rows');
  if (numbers.isWorkedOn === false) holds.push('no_program');
  return holds;
}

/** Whether rows of the batch are sent or followed, now or once it continues. */
function isOpen(doing: Doing): boolean {
  return ['starting', 'sending', 'following', 'interrupted', 'waiting', 'paused'].includes(doing);
}

function needsOf(numbers: BatchNumbers, doing: Doing, rows: Situation['rows']): Pick<Situation, 'next' | 'meanwhile'> {
  const needOf = (what: NeedKind, count: number, at: number | null = null): Need => ({
    ...{ what, ...givers[what] },
    ...{ rows: count, at },
  });
  const next = nextOf(numbers, doing, rows);
  const meanwhile: Need[] = [];
  const lookedUp = rows.in_doubt - rows.left_to_person;
  if (next?.what === 'end_rows' && lookedUp > 0) meanwhile.push(needOf('look_up', lookedUp, numbers.lookupAt));
  if (isOpen(doing)) {
    if (rows.left_to_person > 0) meanwhile.push(needOf('resolve', rows.left_to_person));
    if (rows.held > 0) meanwhile.push(needOf('release', rows.held));
    if (rows.overdue > 0 && next?.what !== 'end_overdue') meanwhile.push(needOf('end_overdue', rows.overdue));
  }
  if (rows.paid_twice > 0) meanwhile.push(needOf('reverse', rows.paid_twice));
  if (doing === 'finished' && rows.unpaid > numbers.paidSince)
    meanwhile.push(needOf('correct', rows.unpaid - numbers.paidSince));
  if (next !== null) return { next: needOf(next.what, next.rows, next.at), meanwhile };
  // While rows are sent, the batch does not wait for decisions about other rows.
  const isMoving = doing === 'sending' || doing === 'starting';
  return isMoving ? { next: null, meanwhile } : { next: meanwhile[0] ?? null, meanwhile: meanwhile.slice(1) };
}

function waitsForMoney({ pauses, resumesWhenFunded, isWorkedOn }: BatchNumbers): boolean {
  return resumesWhenFunded && isWorkedOn === true && pauses.length === 1 && pauses[0] === 'insufficient_balance';
}

/** Pauses that matter even if nothing is left to send: look-ups fail, or a person must look at a payment. */
const holdsMore: readonly PauseReason[] = ['service_changed', 'service_mismatch', 'credentials_rejected'];

/** What a batch waits for, except for decisions about single rows. */
function nextOf(
  numbers: BatchNumbers,
  doing: Doing,
  rows: Situation['rows'],
): Pick<Need, 'what' | 'rows' | 'at'> | null {
  const need = (what: NeedKind, count: number, at: number | null = null) => ({ what, rows: count, at });
  if (doing === 'unanswered') return need('answer', rows.to_send);
  if (doing === 'awaiting_approval') return need(numbers.approvals.isExpired ? 'reject' : 'approve', rows.to_send);
  const { lookupAt, throttledUntil } = numbers;
  const lookedUp = rows.in_doubt - rows.left_to_person;
  if (doing === 'paused') {
    // A row in doubt, or a held row, may still be sent.
    const maySendYet = rows.to_send + lookedUp + rows.held > 0;
    if (maySendYet || numbers.pauses.some((reason) => holdsMore.includes(reason)))
      return need(waitsForMoney(numbers) ? 'fund' : 'resume', rows.to_send);
    if (rows.open > 0 && rows.at_service === 0) return null;
  }
  if (!isOpen(doing) || doing === 'waiting') return null;
  const isAtService = rows.to_send === 0 && lookedUp === 0;
  if (isAtService && rows.overdue > 0 && rows.overdue === rows.at_service) return need('end_overdue', rows.overdue);
  const isLookedUpAlone = rows.at_service === 0 && lookedUp > 0 && (rows.to_send === 0 || numbers.waitsForFirstRows);
  if (numbers.isWorkedOn === false)
    return isLookedUpAlone ? need('look_up', lookedUp, lookupAt) : need('work', rows.open);
  if (throttledUntil !== null) return need('end_throttle', rows.open, throttledUntil);
  if (numbers.isUnreachable && rows.to_send > 0) return need('answer_again', rows.to_send);
  if (numbers.isListUnread && rows.to_send > 0) return need('read_list', rows.to_send);
  if (numbers.waitsForFirstRows) return need('end_first_rows', rows.at_service + lookedUp, lookupAt);
  if (doing === 'sending' || doing === 'starting') return null;
  if (rows.at_service > 0) return need('end_rows', rows.at_service);
  return lookedUp > 0 ? need('look_up', lookedUp, lookupAt) : null;
}
