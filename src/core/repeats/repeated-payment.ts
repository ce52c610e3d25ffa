import { isContentRowRef } from '../identity/ids.ts';
import { tellApart } from '../identity/similar-refs.ts';
import { sameAmount } from '../money/money.ts';
import { type PaymentTerms, samePayment } from '../state/earlier-payment.ts';
import { dayMs } from '../time/clock.ts';
import {
  countsAsSent,
  countsSince,
  isLost,
  isSent,
  isUnread,
  type LostPayment,
  type OtherPayment,
  type Terms,
} from './known-payments.ts';
import { nameOf, paidOtherwise, type RepeatFound, sentLately } from './repeat-problem.ts';

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
  const others: LostPayment[] = [];
  for (const payment of lost) {
    const isAskedFor = payment.run_id === row.run_id && isContentRowRef(payment.row_ref);
    if (!isAskedFor || !(await standsInFile(payment.row_ref))) others.push(payment);
  }
  return others;
}

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
