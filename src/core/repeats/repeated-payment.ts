import { isContentRowRef } from '../identity/ids.ts';
import { tellApart } from '../identity/similar-refs.ts';
import { moneyText, sameAmount } from '../money/money.ts';
import { bearsEarlierPayment, mayHaveArrived, type PaymentTerms, samePayment } from '../state/earlier-payment.ts';
import { resolvedCodes } from '../state/overdue.ts';
import type { RowState } from '../state/row-state.ts';
import { dayMs, isoTime } from '../time/clock.ts';

/** A payment that another batch sent. */
export interface OtherPayment extends Terms {
  batch_id: string;
  run_id: string;
  row_ref: string | null;
  row_no: number;
  status: RowState;
  service_status: string | null;
  failure_code: string | null;
  first_sent_at: number;
  /**
   * Of a row that was held for earlier payments, and that a person has let go: when the last of them was sent (epoch
   * ms).
   */
  told_until: number | null;
  /**
   * The service's status, where it says of a payment that failed here that it has not failed, and since when that is
   * known (epoch ms).
   */
  contradicted: string | null;
  contradicted_at: number | null;
}

/** From when on (epoch ms) a person who is shown a row's earlier payments is shown this one as one that counts. */
export function countsSince(payment: OtherPayment | LostPayment): number {
  return Math.max(payment.first_sent_at, isLost(payment) ? 0 : (payment.contradicted_at ?? 0));
}

/**
 * Whether other runs count a payment as sent: what may have arrived, and what the service once had, of which only a
 * person says that it was not paid. It may still come; within its own run a look-up decides that.
 */
export function countsAsSent(payment: OtherPayment): boolean {
  const { failure_code: code, service_status: word } = payment;
  return mayHaveArrived(payment) || (code === resolvedCodes['not-paid'] && word !== null);
}

/**
 * A payment that the service has, and of which a restored ledger has lost the row. Its list tells no product: that has
 * an amount, too.
 */
export interface LostPayment extends Pick<Terms, 'amount' | 'currency'> {
  topup_id: string;
  /** Empty, as the row ref, where the service's list does not tell. */
  run_id: string;
  row_ref: string;
  first_sent_at: number;
  /** Where the list does not tell to whom: it counts as sent to whoever is asked about. */
  isToAnyone?: true;
}

export interface RepeatProblem {
  code: 'SENT_LATELY' | 'PAID_OTHERWISE';
  message: string;
  suggestion: string;
}

/** A row that is asked about: what it asks for, and what its key is made of. */
export interface AskingRow extends Pick<PaymentTerms, 'amount' | 'currency' | 'product_id'> {
  run_id: string;
  row_ref: string | null;
  /**
   * What was first sent until then (epoch ms) it was held for, and a person has let it go: only what was sent since
   * counts.
   */
  told_until: number | null;
  /**
   * What was first sent more days than this before `asOf` (epoch ms) does not count, but where no reference tells it
   * apart from the row within its run, or nobody knows what it was.
   */
  days: number;
  asOf: number;
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

/**
 * Says that a number was sent the same under another run id, or in the same run under another reference; or that the
 * same run has sent it something else, which the row may correct. Null where none of these payments speaks against the
 * row. What has the row's own run id and reference has its key, which decides by itself. `standsInFile`: whether the
 * row's own file has a row with this ref.
 */
export async function repeatProblem(
  row: AskingRow,
  toTheSameNumber: readonly (OtherPayment | LostPayment)[],
  standsInFile: (rowRef: string) => Promise<boolean>,
): Promise<RepeatFound | null> {
  const sent = toTheSameNumber.filter(isSent);
  const lost = await lostInOtherBatches(row, toTheSameNumber.filter(isLost), standsInFile);
  const others = [...sent.filter((payment) => countsAsSent(payment) && !isOwn(row, payment)), ...lost].filter(
    (payment) => row.told_until === null || countsSince(payment) > row.told_until,
  );
  const same = others.find((payment) => isCompared(row, payment) && maySame(row, payment));
  const until = others.reduce((latest, payment) => Math.max(latest, countsSince(payment)), 0);
  if (same) return { problem: sentLately(same), other: nameOf(same), until };
  for (const other of others) {
    if (!mayCorrect(row, other, sent)) continue;
    if (other.row_ref === null || !(await standsInFile(other.row_ref)))
      return { problem: paidOtherwise(other), other: nameOf(other), until };
  }
  return null;
}

/**
 * Whether a failed payment must be read again before the row is sent, because the row would be held had it arrived: it
 * pays the same person the same, or the row may be a correction of it.
 */
export function isReadBefore(row: AskingRow, failed: OtherPayment): boolean {
  if (isOwn(row, failed)) return false;
  const arrived = { ...failed, contradicted: 'arrived' };
  return isUnnamedInRun(row, failed) || (isCompared(row, arrived) && maySame(row, arrived));
}

/**
 * Whether a payment is recent enough, or of the same run and either not told apart by its reference or contradicted:
 * what failed.csv pays again is of the same run, whatever the days and the new reference are.
 */
function isCompared(row: AskingRow, payment: OtherPayment | LostPayment): boolean {
  if (payment.first_sent_at >= countsFrom(row, payment) || isUnnamedInRun(row, payment)) return true;
  return !isLost(payment) && payment.contradicted !== null && payment.run_id === row.run_id;
}

function isLost(payment: OtherPayment | LostPayment): payment is LostPayment {
  return !('batch_id' in payment);
}

function isSent(payment: OtherPayment | LostPayment): payment is OtherPayment {
  return !isLost(payment);
}

/** Whether it is of the service's list where nobody could read it: then it may be any payment, also the row's own. */
export function isUnread(payment: LostPayment): boolean {
  return payment.amount === null;
}

/**
 * Whether other runs are told of a payment by the row that has its reference: where a corrected file has bound that to
 * another amount or number, they are not. What cannot be read of it is the row's.
 */
export function isExplainedBy(
  row: Pick<PaymentTerms, 'phone_number' | 'amount' | 'currency'>,
  { phone_number, amount, currency }: { phone_number: string; amount: string | null; currency: string | null },
): boolean {
  if (phone_number !== '' && phone_number !== row.phone_number) return false;
  if (amount === null || row.amount === null) return true;
  return currency === row.currency && sameAmount(amount, row.amount);
}

/**
 * What nobody could read counts for so many days at least: who compares no runs has not said that the same file may be
 * paid again.
 */
const unreadDaysMin = 7;

/** What was first sent before this (epoch ms) does not count. */
function countsFrom({ days, asOf }: AskingRow, payment: OtherPayment | LostPayment): number {
  return asOf - Math.max(days, isLost(payment) && isUnread(payment) ? unreadDaysMin : 0) * dayMs;
}

/** Whether it is the payment of a row with the same run id and reference, of whatever generation. */
function isOwn({ run_id, row_ref }: AskingRow, payment: OtherPayment | LostPayment): boolean {
  return payment.run_id === run_id && payment.row_ref === row_ref;
}

/**
 * The lost payments that a row is compared with. None where one of them is the row's own, which its look-up finds; nor
 * one that was made for what the row's own file asks for besides (a ref that is made of the content says so), and that
 * is found when that row is looked up.
 */
async function lostInOtherBatches(
  row: AskingRow,
  lost: readonly LostPayment[],
  standsInFile: (rowRef: string) => Promise<boolean>,
): Promise<LostPayment[]> {
  if (lost.some((payment) => isOwn(row, payment))) return [];
  const beside: LostPayment[] = [];
  for (const payment of lost) {
    const isAskedFor = payment.run_id === row.run_id && isContentRowRef(payment.row_ref);
    if (!isAskedFor || !(await standsInFile(payment.row_ref))) beside.push(payment);
  }
  return beside;
}

type Terms = Pick<PaymentTerms, 'amount' | 'currency' | 'product_id'>;

/** Of what was lost nobody knows whether it was a product: then it may be the one that is asked for. */
function maySame(row: AskingRow, payment: OtherPayment | LostPayment): boolean {
  if (!isLost(payment)) return sameTerms(row, payment);
  return row.product_id !== null || isUnread(payment) || sameTerms(row, { ...payment, product_id: null });
}

function sameTerms(a: Terms, b: Terms): boolean {
  return samePayment({ ...a, phone_number: null, network_id: null }, { ...b, phone_number: null, network_id: null });
}

/**
 * Whether a payment is of the row's own run, and no reference tells the two apart: one of them at least has none of
 * its own, or they may be one reference that was saved anew.
 */
function isUnnamedInRun(row: AskingRow, payment: OtherPayment | LostPayment): boolean {
  if (payment.run_id !== row.run_id || payment.row_ref === null || row.row_ref === null) return false;
  return !tellApart(row.row_ref, payment.row_ref);
}

/**
 * Whether a row to the same number may be meant instead of this payment of its run, since no reference tells them
 * apart. A row that the payment's batch has sent as well stood beside it there.
 */
function mayCorrect(row: AskingRow, payment: OtherPayment | LostPayment, sent: readonly OtherPayment[]): boolean {
  if (!isUnnamedInRun(row, payment) || maySame(row, payment)) return false;
  if (isLost(payment)) return true;
  return !sent.some(
    ({ batch_id, row_ref }) => batch_id === payment.batch_id && row_ref === row.row_ref && row_ref !== null,
  );
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

function sentLately(other: OtherPayment | LostPayment): RepeatProblem {
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

function paidOtherwise(other: OtherPayment | LostPayment): RepeatProblem {
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

function nameOf(other: OtherPayment | LostPayment): RepeatFound['other'] {
  if (isLost(other)) return { other_payment: other.topup_id };
  return { other_batch: other.batch_id, other_row: other.row_no };
}

function messageOf(other: OtherPayment): string | null {
  if (other.contradicted !== null) return `${other.contradicted} by what the service says now, after it had failed`;
  return other.status === 'failed' || bearsEarlierPayment(other) ? other.service_status : other.status;
}
