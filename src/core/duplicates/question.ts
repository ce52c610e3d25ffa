import type { BatchPolicy, RecipientMaximum } from '../state/batch-policy.ts';
import type { PaymentTerms } from '../state/earlier-payment.ts';
import type { RowState } from '../state/row-state.ts';
import { dayMs } from '../time/clock.ts';
import type { EarlierPayment } from './earlier-payments.ts';

/** A row about which intake or dispatch asks whether its person was sent this before, and whether it may be paid. */
export interface AskingRow extends PaymentTerms {
  batch_id: string;
  row_no: number;
  run_id: string;
  row_ref: string | null;
  /**
   * A person has released the row although these payments were known: payments first sent up to this time do not hold
   * it again. Null if no person has released it.
   */
  known_until: number | null;
  /** The same for payments with which the row's number exceeds the maximum. */
  maximumKnownUntil: number | null;
}

/** The row of another batch to which a row's key is bound: it has the same run id and row ref. */
export interface KeyOwner extends PaymentTerms {
  batch_id: string;
  row_no: number;
  line: number;
  /** The generation of the key. */
  generation: number;
  status: RowState;
  service_status: string | null;
  contradicted: string | null;
}

/**
 * Which rows continue under their next generation. A person who runs a file again wants its failed rows paid. No person
 * decides about a job's file (the job says what is retried), but a row that a person has skipped before anything was
 * paid continues with the rest of its file. Once a row is sent, its generation is fixed.
 */
export type MayGoOn = 'if_unpaid' | 'if_skipped' | 'never';

/** What is known when the question is asked. */
export interface KnownPayments {
  owner: KeyOwner | null;
  mayGoOn: MayGoOn;
  /**
   * The payments to the row's number, this batch's included: the latest first, then payments missing from a restored
   * ledger.
   */
  earlier: readonly EarlierPayment[];
  /** Whether the row's own file has a row with this ref. Asked only about payments for which `asksFile` is true. */
  isInFile: (rowRef: string) => boolean;
}

/** What a batch's policy says about duplicates at the time of the question. */
export interface DuplicateRules {
  /**
   * Payments first sent more than this many days before `asOf` (epoch ms) do not count, unless they are of the row's
   * run and no reference tells them apart from it. With 0 days, only contradicted payments of the run count, and
   * payments that nobody could read.
   */
  days: number;
  asOf: number;
  /** Payments first sent before `since` (epoch ms) are not in the sum. Null if there is no maximum. */
  maximum: (RecipientMaximum & { since: number }) | null;
}

export function duplicateRules(
  { repeatWithinDays, recipientMaximum }: BatchPolicy,
  { created_at }: { created_at: number },
  now: number,
): DuplicateRules {
  return {
    days: repeatWithinDays,
    asOf: Math.min(created_at, now),
    maximum: recipientMaximum && { ...recipientMaximum, since: now - recipientMaximum.days * dayMs },
  };
}

/** Payments first sent before this time (epoch ms) do not count, unless they are of the row's own run. */
export function countedSince({ days, asOf, maximum }: DuplicateRules): number {
  return Math.min(asOf - days * dayMs, maximum?.since ?? asOf);
}

/** What a row has in common with other rows of its file. */
export interface SharedInFile {
  /** The line of another row with the same reference. */
  referenceLine: number | null;
  /** The line of the first row that asks for the same payment to the same number. */
  contentLine: number | null;
  /** Whether this row takes its number over the maximum. */
  isBeyondMaximum: boolean;
}

/** What the intake settings say about rows of a file that repeat each other. */
export interface FileRules {
  /** The same payment to the same number twice. */
  duplicates: 'allow' | 'hold' | 'reject';
  /** The most that one number may get from the file, by currency. */
  numberMax: Readonly<Record<string, string>>;
}

/** A row that is compared with the other rows of its file. */
export interface RowOfFile extends Pick<PaymentTerms, 'currency' | 'product_id'> {
  line: number;
}
