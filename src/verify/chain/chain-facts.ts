import type { FailedCharges } from './failed-charges.ts';
import type { LateCharge } from './late-charges.ts';
import type { Refund } from './refunds.ts';
import type { Sendings } from './sendings.ts';

export interface Event {
  batch_id: string;
  seq: number;
  at: number;
  actor: string;
  kind: string;
  row_no: number | null;
  /** JSON of an object. */
  body: string;
  hash: string;
}

/** An event of the batch as a whole. */
export interface Act {
  actor: string;
  /** Epoch milliseconds. */
  at: number;
  data: Record<string, unknown>;
}

/** What the chain says about the batch as a whole: the last event of each kind, or null. */
export interface BatchFacts {
  received: Act | null;
  validated: Act | null;
  approved: Act | null;
  /** The approvals that count, if other people were asked, and how many the batch needs. */
  approvals: Act[];
  approvalsNeeded: number;
  /** When the batch first began. */
  started: Act | null;
  completed: Act | null;
  /** When a person last changed its place among the batches of its account. */
  reordered: Act | null;
  /** When a person last said where its service has moved to. */
  moved: Act | null;
  /** When the personal data of its rows was erased. */
  forgotten: Act | null;
  /** When it was cancelled: rejected by a person (`data.rejected`), or by its submitter (`data.withdrawn`). */
  cancelled: Act | null;
  /** The state after the last change. */
  status: string | null;
}

/** A published version of the reports. */
export interface PublishedVersion {
  version: number;
  /** Epoch milliseconds. */
  at: number;
  /** Its place in the chain, and its hash. */
  seq: number;
  hash: string;
}

/** What the chain says about each row, by row number. Memory stays small: a few bytes a row. */
export interface ChainFacts extends Omit<Sendings, 'note'> {
  batch: BatchFacts;
  /** The time of its last event (epoch ms). */
  lastAt: number | null;
  /**
   * The length to which the chain grew later, by the latest outside anchor: see `walkChain`. Null if no anchor shows
   * that.
   */
  wentOnTo: number | null;
  /** The published versions of the reports, in order. Chains of old program versions do not record them. */
  published: PublishedVersion[];
  /** The hashes of the requested events, by their place in the chain. */
  heads: Map<number, string>;
  /** The state after the row's last change, or null if the chain has none. */
  stateOf(rowNo: number): string | null;
  /** `fingerprint` of generation and key of the last request, or 0. */
  sentOf(rowNo: number): number;
  /** `fingerprint` of the service's id and the cost when the row ended, or 0. */
  paidOf(rowNo: number): number;
  /** The number of the event that `paidOf` is of. */
  paidIn(rowNo: number): number;
  /**
   * `fingerprint` of the time when the row ended, the service's last status and the failure code (if recorded), or 0.
   * Chains of old program versions do not record them.
   */
  endedOf(rowNo: number): number;
  /** `reasonMark` of why the row ended as it did, or 0 if the chain does not say. */
  reasonOf(rowNo: number): number;
  /** The state that intake gave the row, or null if it has no event. */
  intakeStateOf(rowNo: number): string | null;
  /** The state of the row when its batch was approved, or null if it has no event. */
  approvedStateOf(rowNo: number): string | null;
  /**
   * The first refund of the row's own payment, whose id at the service is `topupId` (or empty); null if there is none.
   */
  refundOf(rowNo: number, topupId: string): Refund | null;
  /** The service's status with which it contradicts the row, since the row failed; null if it does not. */
  contradictedOf(rowNo: number): string | null;
  /** The service's id of the row's second payment; null if the chain has none. */
  secondOf(rowNo: number): string | null;
  /** Whether the service reported this status of a payment of the row after the row had ended. */
  wasReportedLate(rowNo: number, serviceStatus: string): boolean;
  /** How long payments were sent or followed (ms). */
  activeMs(): number;
  /** The charges and refunds of payments that failed. */
  failed: Pick<FailedCharges, 'earlier' | 'earlierRefunds' | 'refundedBy'>;
  /** The charges of the row that are not in its cost. */
  lateOf(rowNo: number): readonly LateCharge[];
}

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
