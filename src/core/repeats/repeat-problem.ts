import { moneyText } from '../money/money.ts';
import { bearsEarlierPayment } from '../state/earlier-payment.ts';
import { isoTime } from '../time/clock.ts';
import { isLost, type LostPayment, type OtherPayment } from './known-payments.ts';

export interface RepeatProblem {
  code: 'SENT_LATELY' | 'PAID_OTHERWISE';
  message: string;
  suggestion: string;
}

/**
 * Why a row waits for a person, and which payment it is held for: a row of another batch, or, of one that was lost,
 * the service's id.
 */
export interface RepeatFound {
  problem: RepeatProblem;
  other: { other_batch: string; other_row: number } | { other_payment: string };
  /** When the last of the payments was first sent (epoch ms), all of which whoever lets the row go decides about. */
  until: number;
}

const unreadSince = 'unread since ';

/**
 * What stands in place of the service's id for all that its list may hold from then on (epoch ms), and that nobody
 * could read until `promisedMs`, when a person went on without it: who does so after a second restore says it of other
 * payments.
 */
export function unreadSinceName(fromMs: number, promisedMs: number): string {
  return `${unreadSince}${isoTime(fromMs)}, told ${isoTime(promisedMs)}`;
}

function unknownPlaceOf(lost: LostPayment): string {
  const { topup_id } = lost;
  if (!topup_id.startsWith(unreadSince)) return `on ${lostPlaceOf(lost)}: the service’s list cannot be read there`;
  const from = topup_id.slice(unreadSince.length);
  return `after ${from.slice(0, 10)} at ${from.slice(11, 16)} UTC, by the part of the ledger that was lost: the service’s list was not read from there on`;
}

export function sentLately(other: OtherPayment | LostPayment): RepeatProblem {
  if (isLost(other) && other.isToAnyone)
    return {
      code: 'SENT_LATELY',
      message: `The same number may have been sent the same ${unknownPlaceOf(other)}.`,
      suggestion:
        'Look for that payment at the service. Release the row if it is another one; skip it if it is the same.',
    };
  const message = isLost(other)
    ? `The same number was sent ${whatOf(other)} on ${lostPlaceOf(other)}.`
    : `The same number was sent the same on ${dayOf(other)}, in ${placeOf(other)} (run ${other.run_id}, ${messageOf(other)}).`;
  return {
    code: 'SENT_LATELY',
    message,
    suggestion: 'Release the row if both are meant; skip it if it is the same payment.',
  };
}

export function paidOtherwise(other: OtherPayment | LostPayment): RepeatProblem {
  const place = isLost(other) ? lostPlaceOf(other) : `${dayOf(other)}, in ${placeOf(other)} (${messageOf(other)})`;
  return {
    code: 'PAID_OTHERWISE',
    message: `This run has sent the number ${whatOf(other)} on ${place}, which is not in this file.`,
    suggestion: 'Release the row if both are meant; skip it if it corrects that payment.',
  };
}

function whatOf(other: OtherPayment | LostPayment): string {
  if (other.amount !== null) return moneyText(other.currency ?? '', other.amount);
  return isLost(other) ? 'something' : `product ${other.product_id}`;
}

function dayOf({ first_sent_at }: Pick<OtherPayment, 'first_sent_at'>): string {
  return isoTime(first_sent_at).slice(0, 10);
}

function placeOf({ batch_id, row_no }: OtherPayment): string {
  return `batch ${batch_id}, row ${row_no}`;
}

/** To the minute: with the number that is where a person finds it in the service's own list. */
function lostPlaceOf(lost: LostPayment): string {
  const { first_sent_at, topup_id, run_id } = lost;
  const name = run_id === '' ? topup_id : `${topup_id}, run ${run_id}`;
  return `${dayOf(lost)} at ${isoTime(first_sent_at).slice(11, 16)} UTC, by a payment that only the service knows since the ledger was restored (${name})`;
}

export function nameOf(other: OtherPayment | LostPayment): RepeatFound['other'] {
  if (isLost(other)) return { other_payment: other.topup_id };
  return { other_batch: other.batch_id, other_row: other.row_no };
}

function messageOf(other: OtherPayment): string | null {
  if (other.contradicted !== null) return `${other.contradicted} by what the service says now, after it had failed`;
  return other.status === 'failed' || bearsEarlierPayment(other) ? other.service_status : other.status;
}
