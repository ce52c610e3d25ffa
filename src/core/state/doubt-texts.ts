import { type ErrorReason, type ReasonValues, reasonOf } from '../basics/errors.ts';
import { isOverdue } from './overdue.ts';
import type { RowState } from './row-state.ts';

/** When rows in doubt are looked up. The text is true whether or not a program works on the batch now. */
export const lookedUp = 'looked up again while airbatch works on the batch';

/** Why a row is in doubt. Every report shows it with the row until the service or a person says what happened. */
export const doubtReason = `It is not known whether this was paid; it is ${lookedUp}.`;

/** The code of a failure that a row has while nobody knows whether its request was sent. */
export const interruptedCode = 'interrupted';

/**
 * Why a row that was sent has no result yet, by stable code, with what the text of the code names. The console has a
 * text for each in the reader's language.
 */
export const doubtReasons = {
  DOUBT_OPEN: [],
  DOUBT_INTERRUPTED: [],
  DOUBT_OTHER: ['row', 'batch', 'difference'],
  DOUBT_SEVERAL: ['count', 'row', 'batch'],
  DOUBT_UNFOUND: [],
  DOUBT_SAME_ERROR: ['http_status', 'times'],
  DOUBT_NOT_FOUND: ['times'],
  DOUBT_KEY_OLD: [],
  DOUBT_REFUSED: [],
  DOUBT_UNANSWERED: ['code'],
  DOUBT_RESTORED: ['topup_id'],
  DOUBT_EARLIER: ['service_status', 'generation'],
  DOUBT_PAID_BEFORE: ['batch', 'row'],
  ROW_OVERDUE: [],
} as const;

type DoubtReason = keyof typeof doubtReasons;

/** Why a person must decide: a sentence, and the same in a form that other languages can tell. */
export interface DoubtWhy {
  text: string;
  reason: ErrorReason;
}

export function doubtWhy<Code extends DoubtReason>(
  code: Code,
  values: ReasonValues<typeof doubtReasons, Code>,
  text: string,
): DoubtWhy {
  return { text, reason: reasonOf(code, values) };
}

/**
 * Why a row that was sent has no result yet. Null if it has one, or if an earlier version of airbatch left the row to a
 * person. `stored`: why it was left to a person, as JSON.
 */
export function waitingReason(
  row: { status: RowState; failure_code: string | null; next_action_at: number | null },
  stored: string | null,
): ErrorReason | null {
  if (isOverdue(row)) return reasonOf<DoubtReason>('ROW_OVERDUE');
  if (row.status !== 'in_doubt') return null;
  if (row.next_action_at === null) return stored === null ? null : (JSON.parse(stored) as ErrorReason);
  return reasonOf<DoubtReason>(row.failure_code === interruptedCode ? 'DOUBT_INTERRUPTED' : 'DOUBT_OPEN');
}
