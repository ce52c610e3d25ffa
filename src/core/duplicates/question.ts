import type { BatchPolicy, RecipientMaximum } from '../state/batch-policy.ts';
import type { PaymentTerms } from '../state/earlier-payment.ts';
import type { RowState } from '../state/row-state.ts';
import { dayMs } from '../time/clock.ts';
import type { EarlierPayment } from './earlier-payments.ts';

/** A row of which is asked whether its person was sent this before, and whether it may be paid. */
export interface AskingRow extends PaymentTerms {
  batch_id: string;
  row_no: number;
  run_id: string;
  row_ref: string | null;
  /**
   * A person has released the row although these payments were known: what was first sent until then (epoch ms) does
   * not hold it again. Null: no person has.
   */
  known_until: number | null;
  /** The same of payments with which its number gets more than the maximum. */
  maximumKnownUntil: number | null;
}

/** The row of another batch that has bound the key of a row: it has the same run id and row ref. */
export interface KeyOwner extends PaymentTerms {
  batch_id: string;
  row_no: number;
  /** The generation that the key stands for. */
  generation: number;
  status: RowState;
  service_status: string | null;
  contradicted: string | null;
}

/**
 * Which rows go on under their next generation. A person who runs a file again wants its failed rows paid. A job's
 * file is nobody's decision (the job says what is retried), but a row that a person has skipped before anything was
 * paid goes on with the rest of its file. When a row is sent, its generation is fixed.
 */
export type MayGoOn = 'if_unpaid' | 'if_skipped' | 'never';

/** What is known when a row is asked about. */
export interface KnownPayments {
  owner: KeyOwner | null;
  mayGoOn: MayGoOn;
  /** The payments to the row's number, of this batch too: the latest first, then what a restored ledger has lost. */
  earlier: readonly EarlierPayment[];
  /** Whether the row's own file has a row with this ref: asked only of payments for which `asksFile` is true. */
  isInFile: (rowRef: string) => boolean;
}

/** What a batch's policy says of duplicates at the time at which a row is asked about. */
export interface DuplicateRules {
  /**
   * Payments that were first sent more days than this before `asOf` (epoch ms) do not count, unless no reference tells
   * them apart from the row within its run. With 0 days, only contradicted payments of the run count, and those that
   * nobody could read.
   */
  days: number;
  asOf: number;
  /** `since`: what was first sent earlier (epoch ms) is not in the sum. Null: there is no maximum. */
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

/** What was first sent before this (epoch ms) does not count, unless it is of the row's own run. */
export function countedSince({ days, asOf, maximum }: DuplicateRules): number {
  return Math.min(asOf - days * dayMs, maximum?.since ?? asOf);
}

/** What a row has in common with other rows of its file. */
export interface SharedInFile {
  /** The line of another row with the same reference. */
  referenceLine: number | null;
  /** The line of the first row whose number gets the same. */
  contentLine: number | null;
  /** Whether its number gets more than the maximum up to this row. */
  isBeyondMaximum: boolean;
}

/** What the settings of intake say of rows that repeat each other in a file. */
export interface FileRules {
  /** The same payment to the same number twice. */
  duplicates: 'allow' | 'hold' | 'reject';
  /** The most that one number may get from the file, by currency. */
  numberMax: Readonly<Record<string, string>>;
}

/** A row that is compared with the others of its file. */
export interface RowOfFile extends Pick<PaymentTerms, 'currency' | 'product_id'> {
  line: number;
}
