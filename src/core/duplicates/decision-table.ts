import { assert } from '../basics/assert.ts';
import { bearsEarlierPayment, generationsMax, mayHaveArrived, samePayment } from '../state/earlier-payment.ts';
import { comparedPayments, isCompared, mayCorrect, maySame } from './comparison.ts';
import {
  alreadyPaid,
  alreadySent,
  beyondNumberMaximum,
  type DuplicateProblem,
  failedBefore,
  failedDoubtfully,
  mayBePaid,
  paidOtherwise,
  paidTwiceByFile,
  referenceReused,
  referenceTwice,
  sentLately,
  skippedUnpaid,
  triedTooOften,
} from './duplicate-problems.ts';
import { type EarlierPayment, isLost, knownSince } from './earlier-payments.ts';
import type {
  AskingRow,
  DuplicateRules,
  FileRules,
  KeyOwner,
  KnownPayments,
  MayGoOn,
  RowOfFile,
  SharedInFile,
} from './question.ts';
import { beyondMaximum } from './recipient-maximum.ts';

/*
 * "Was this person sent this before, and may this row be paid?" Intake asks this about every row. Dispatch asks the
 * same function again before it sends a row, because other batches pay in the meantime.
 */

interface OwnerQuestion {
  row: Pick<AskingRow, 'phone_number' | 'network_id' | 'amount' | 'currency' | 'product_id'>;
  owner: KeyOwner;
  mayGoOn: MayGoOn;
}

interface OwnerCase {
  name: string;
  when(question: OwnerQuestion): boolean;
  outcome: 'pay' | 'skip' | 'hold';
  problem: ((owner: KeyOwner) => DuplicateProblem) | null;
}

/** The row with this run id and row ref was sent by another batch. The first case that fits decides. */
const ownerCases: readonly OwnerCase[] = [
  { name: 'contradicted', when: ({ owner }) => owner.contradicted !== null, outcome: 'hold', problem: mayBePaid },
  {
    name: 'failed, and may have arrived',
    when: ({ owner }) => owner.status === 'failed' && mayHaveArrived(owner),
    outcome: 'hold',
    problem: failedDoubtfully,
  },
  {
    name: 'tried as often as is allowed',
    when: ({ owner }) => isUnpaid(owner) && owner.generation >= generationsMax,
    outcome: 'hold',
    problem: triedTooOften,
  },
  {
    name: 'goes on under the next generation, whatever it asks for now',
    when: ({ owner, mayGoOn }) =>
      (mayGoOn === 'if_unpaid' && isUnpaid(owner)) || (mayGoOn === 'if_skipped' && isSkippedUnpaid(owner)),
    outcome: 'pay',
    problem: null,
  },
  {
    name: 'skipped before anything was paid',
    when: ({ owner }) => isSkippedUnpaid(owner),
    outcome: 'hold',
    problem: skippedUnpaid,
  },
  {
    name: 'asked for something else',
    when: ({ row, owner }) => !samePayment(row, owner),
    outcome: 'hold',
    problem: referenceReused,
  },
  { name: 'failed', when: ({ owner }) => owner.status === 'failed', outcome: 'hold', problem: failedBefore },
  { name: 'paid', when: ({ owner }) => owner.status === 'completed', outcome: 'skip', problem: alreadyPaid },
  { name: 'under way', when: () => true, outcome: 'skip', problem: alreadySent },
];

interface PaymentQuestion {
  row: AskingRow;
  known: KnownPayments;
  rules: DuplicateRules;
}

interface PaymentCase {
  name: string;
  when(question: PaymentQuestion, payment: EarlierPayment): boolean;
  problem(payment: EarlierPayment): DuplicateProblem;
}

/** Another payment to the row's number holds the row. The first case that fits any of the payments decides. */
const paymentCases: readonly PaymentCase[] = [
  {
    name: 'sent the same',
    when: ({ row, rules }, payment) => isCompared(row, payment, rules) && maySame(row, payment),
    problem: sentLately,
  },
  {
    name: 'sent what the row may correct',
    when: ({ row, known }, payment) => mayCorrect(row, payment, known),
    problem: paidOtherwise,
  },
];

/** A case in which a row of a file is not paid as the other rows are. */
interface FileCase {
  name: string;
  when(shared: SharedInFile, rules: FileRules): boolean;
  outcome: 'refuse' | 'hold';
  /** The column that the problem names. */
  field: 'reference' | 'phone_number';
  problem(row: RowOfFile, shared: SharedInFile, rules: FileRules): DuplicateProblem;
}

/** The row's own file contains its reference or its person more than once. All cases that fit apply. */
const fileCases: readonly FileCase[] = [
  {
    name: 'the same reference',
    when: ({ referenceLine }) => referenceLine !== null,
    outcome: 'refuse',
    field: 'reference',
    problem: referenceTwice,
  },
  {
    name: 'the same payment, refused',
    when: ({ contentLine }, { duplicates }) => contentLine !== null && duplicates === 'reject',
    outcome: 'refuse',
    field: 'phone_number',
    problem: paidTwiceByFile,
  },
  {
    name: 'the same payment',
    when: ({ contentLine }, { duplicates }) => contentLine !== null && duplicates === 'hold',
    outcome: 'hold',
    field: 'phone_number',
    problem: paidTwiceByFile,
  },
  {
    name: 'more than the maximum of a number',
    when: ({ isBeyondMaximum }) => isBeyondMaximum,
    outcome: 'hold',
    field: 'phone_number',
    problem: beyondNumberMaximum,
  },
];

export type FileDuplicate = Pick<FileCase, 'outcome' | 'field'> & { problem: DuplicateProblem };

/** Decides whether a row is refused or held because of other rows of its file. */
export function decideInFile(row: RowOfFile, shared: SharedInFile, rules: FileRules): FileDuplicate[] {
  return fileCases
    .filter(({ when }) => when(shared, rules))
    .map(({ outcome, field, problem }) => ({ outcome, field, problem: problem(row, shared, rules) }));
}

/** A payment of another batch's row, or a payment whose row is missing from a restored ledger. */
export type OtherPayment = { other_batch: string; other_row: number } | { other_payment: string };

export interface DuplicateDecision {
  outcome: 'pay' | 'skip' | 'hold';
  problems: DuplicateProblem[];
  /** The other payment that causes the skip or the hold; null for none. */
  other: OtherPayment | null;
  /** The row's next generation if the row continues after a failure; else null. */
  generation: number | null;
  /**
   * A person who releases the row decides about all payments that were first sent up to this time (epoch ms). Null if
   * no payment holds the row.
   */
  knownUntil: number | null;
}

/** Decides whether a row is paid, skipped, or held for a person, and why. */
export function decideDuplicate(row: AskingRow, known: KnownPayments, rules: DuplicateRules): DuplicateDecision {
  const own = known.owner && decideByOwner(row, known.owner, known.mayGoOn);
  if (own?.outcome === 'skip') return own;
  const duplicate = findDuplicate(row, known, rules);
  const beyond = rules.maximum && beyondMaximum(row, known.earlier, rules.maximum);
  const found = [duplicate, beyond].filter((one) => one !== null);
  const problems = [...(own?.problems ?? []), ...found.map(({ problem }) => problem)];
  return {
    outcome: problems.length === 0 ? 'pay' : 'hold',
    problems,
    other: own?.other ?? duplicate?.other ?? null,
    generation: own?.generation ?? null,
    knownUntil: found.length === 0 ? null : Math.max(...found.map(({ until }) => until)),
  };
}

/** Decides about a row whose key is bound to a row of another batch. */
export function decideByOwner(row: OwnerQuestion['row'], owner: KeyOwner, mayGoOn: MayGoOn): DuplicateDecision {
  const fitting = ownerCases.find(({ when }) => when({ row, owner, mayGoOn }));
  assert(fitting, 'the last case fits every row');
  const { outcome, problem } = fitting;
  if (problem === null)
    return { outcome, problems: [], other: null, generation: owner.generation + 1, knownUntil: null };
  const other = { other_batch: owner.batch_id, other_row: owner.row_no };
  return { outcome, problems: [problem(owner)], other, generation: null, knownUntil: null };
}

/** Nothing was paid, and nothing may still arrive: the cases before this one exclude that. */
function isUnpaid(owner: KeyOwner): boolean {
  return owner.status === 'failed' || isSkippedUnpaid(owner);
}

/**
 * The service has refused the request for good (a limit, no money, no answer), and a person has skipped the row since.
 */
function isSkippedUnpaid(owner: KeyOwner): boolean {
  return owner.status === 'skipped' && owner.contradicted === null && !bearsEarlierPayment(owner);
}

export interface FoundDuplicate {
  problem: DuplicateProblem;
  other: OtherPayment;
  /** When the latest of the compared payments was first sent (epoch ms). */
  until: number;
}

/**
 * Finds a payment by another batch to the row's number that pays the same, or that the row may correct. A payment with
 * the row's own run id and row ref is not compared: its key decides.
 */
export function findDuplicate(row: AskingRow, known: KnownPayments, rules: DuplicateRules): FoundDuplicate | null {
  const compared = comparedPayments(row, known, rules);
  if (compared.length === 0) return null;
  for (const { when, problem } of paymentCases) {
    const payment = compared.find((one) => when({ row, known, rules }, one));
    if (payment === undefined) continue;
    const until = compared.reduce((latest, one) => Math.max(latest, knownSince(one)), 0);
    return { problem: problem(payment), other: nameOf(payment), until };
  }
  return null;
}

function nameOf(payment: EarlierPayment): OtherPayment {
  if (isLost(payment)) return { other_payment: payment.topup_id };
  return { other_batch: payment.batch_id, other_row: payment.row_no };
}
