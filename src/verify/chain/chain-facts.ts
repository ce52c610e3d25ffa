import type { FailedCharges } from './failed-charges.ts';
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

/** What was done to the batch as a whole. */
export interface Act {
  actor: string;
  /** Epoch milliseconds. */
  at: number;
  data: Record<string, unknown>;
}

/** What the chain says of the batch as a whole: the last act of each kind, null where there was none. */
export interface BatchFacts {
  received: Act | null;
  validated: Act | null;
  approved: Act | null;
  /** When it began, for the first time. */
  started: Act | null;
  completed: Act | null;
  /** When a person last gave it another place among the batches of its account. */
  reordered: Act | null;
  /** When a person last said where its service has moved to. */
  moved: Act | null;
  /** When what names persons was taken out of the rows. */
  forgotten: Act | null;
  /** When it was given up, or a person rejected it (`data.rejected`). */
  cancelled: Act | null;
  /** The state after the last change. */
  status: string | null;
}

/** A version of the reports that was given out. */
export interface PublishedVersion {
  version: number;
  /** Epoch milliseconds. */
  at: number;
  /** Its place in the chain, and its hash. */
  seq: number;
  hash: string;
}

/** What the chain says of each row, by row number. Flat memory: a few bytes a row. */
export interface ChainFacts extends Omit<Sendings, 'note'> {
  batch: BatchFacts;
  /** When its last event was (epoch ms). */
  lastAt: number | null;
  /**
   * Where the chain went on to after its end, by the latest head that was put outside: see `walkChain`. Null where
   * none tells of that.
   */
  wentOnTo: number | null;
  /** The versions of the reports that were given out, in their order: chains of before do not tell them. */
  published: PublishedVersion[];
  /** The hashes of the events that were asked for, by their place in the chain. */
  heads: Map<number, string>;
  /** The state after the row's last change, or null where the chain has none. */
  stateOf(rowNo: number): string | null;
  /** `fingerprint` of generation and key of the last request, or 0. */
  sentOf(rowNo: number): number;
  /** `fingerprint` of the service's id and cost as the row ended, or 0. */
  paidOf(rowNo: number): number;
  /**
   * `fingerprint` of when the row ended, the service's last word of it and its failure code (where the chain tells
   * one), or 0: chains of before do not tell it.
   */
  endedOf(rowNo: number): number;
  /** `reasonMark` of why the row ended as it did, or 0 where the chain does not tell it. */
  reasonOf(rowNo: number): number;
  /** The state that intake gave the row, or null where no event tells of the row. */
  intakeStateOf(rowNo: number): string | null;
  /** The state in which the row was when its batch was approved, or null where no event tells of the row. */
  approvedStateOf(rowNo: number): string | null;
  /**
   * The first money given back for the row's own payment, of which `topupId` is the service's id or empty; null where
   * there was none.
   */
  refundOf(rowNo: number, topupId: string): Refund | null;
  /** Whether the service was seen to give this status to a payment of the row after the row had ended. */
  wasSaidLate(rowNo: number, serviceStatus: string): boolean;
  /** How long payments were sent or followed (ms). */
  activeMs(): number;
  /** The money of payments that failed. */
  failed: Pick<FailedCharges, 'earlier' | 'earlierBack' | 'backBy'>;
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
