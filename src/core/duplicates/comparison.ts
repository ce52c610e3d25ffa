import { isContentRowRef } from '../identity/ids.ts';
import { areDistinct } from '../identity/similar-refs.ts';
import { sameAmount } from '../money/money.ts';
import { type PaymentTerms, samePayment } from '../state/earlier-payment.ts';
import { dayMs } from '../time/clock.ts';
import {
  countsAsPaid,
  type EarlierPayment,
  isLost,
  isSent,
  isUnread,
  knownSince,
  type LostPayment,
  type SentPayment,
  type Terms,
} from './earlier-payments.ts';
import type { AskingRow, DuplicateRules, KnownPayments } from './question.ts';

type ComparedRow = Pick<AskingRow, 'batch_id' | 'run_id' | 'row_ref' | 'amount' | 'currency' | 'product_id'>;

/** The payments that may hold a row: they count as made, are not its own, and no person has released it since. */
export function comparedPayments(row: AskingRow, known: KnownPayments, { days }: DuplicateRules): EarlierPayment[] {
  const sent = known.earlier.filter(isSent).filter((payment) => countsAsPaid(payment) && !isOwn(row, payment));
  const lost = lostInOtherBatches(row, known);
  return [...sent, ...lost].filter((payment) => {
    if (days === 0 && !(isLost(payment) ? isUnread(payment) : isContradictedInRun(row, payment))) return false;
    return row.known_until === null || knownSince(payment) > row.known_until;
  });
}

/**
 * The lost payments with which a row is compared. None if one of them is the row's own, because the row's lookup finds
 * it. If a lost payment pays what another row of the file asks for (a ref derived from the content shows this), the
 * lookup of that other row finds it.
 */
function lostInOtherBatches(row: AskingRow, { earlier, isInFile }: KnownPayments): LostPayment[] {
  const lost = earlier.filter(isLost);
  if (lost.some((payment) => isOwn(row, payment))) return [];
  return lost.filter(
    (payment) => !(payment.run_id === row.run_id && isContentRowRef(payment.row_ref) && isInFile(payment.row_ref)),
  );
}

/** Whether the decision about any of these payments depends on whether the row's own file has a row with its ref. */
export function asksFile(row: ComparedRow, earlier: readonly EarlierPayment[]): boolean {
  return earlier.some((payment) => payment.run_id === row.run_id && !isOwn(row, payment));
}

/** Whether a failed payment must be read again before the row is sent: if it had arrived, it would hold the row. */
export function isReadBefore(row: ComparedRow, failed: SentPayment, rules: DuplicateRules): boolean {
  if (isOwn(row, failed)) return false;
  const arrived = { ...failed, contradicted: 'arrived' };
  return isUnnamedInRun(row, failed) || (isCompared(row, arrived, rules) && maySame(row, arrived));
}

/**
 * Whether the row is compared with a payment: the payment is recent enough, or it is of the same run and either no
 * reference tells the two apart or the payment is contradicted. A failed.csv pays within its run, whatever the days and
 * the new reference are.
 */
export function isCompared(row: ComparedRow, payment: EarlierPayment, rules: DuplicateRules): boolean {
  if (payment.first_sent_at >= comparedSince(rules, payment) || isUnnamedInRun(row, payment)) return true;
  return !isLost(payment) && isContradictedInRun(row, payment);
}

function isContradictedInRun(row: ComparedRow, payment: SentPayment): boolean {
  return payment.contradicted !== null && payment.run_id === row.run_id;
}

/** Even if the policy compares no runs, a payment that nobody could read may not be made again. */
const unreadDaysMin = 7;

function comparedSince({ days, asOf }: DuplicateRules, payment: EarlierPayment): number {
  return asOf - Math.max(days, isLost(payment) && isUnread(payment) ? unreadDaysMin : 0) * dayMs;
}

/**
 * Whether the payment belongs to the row's own batch, whose rows are all intended, or to a row with the same run id and
 * row ref, in any generation.
 */
function isOwn(row: ComparedRow, payment: EarlierPayment): boolean {
  if (!isLost(payment) && payment.batch_id === row.batch_id) return true;
  return payment.run_id === row.run_id && payment.row_ref === row.row_ref;
}

/** Whether a payment may be for what the row asks for. A lost payment may have been a product. */
export function maySame(row: ComparedRow, payment: EarlierPayment): boolean {
  if (!isLost(payment)) return sameTerms(row, payment);
  return row.product_id !== null || isUnread(payment) || sameTerms(row, { ...payment, product_id: null });
}

function sameTerms(a: Terms, b: Terms): boolean {
  return samePayment({ ...a, phone_number: null, network_id: null }, { ...b, phone_number: null, network_id: null });
}

/**
 * Whether a payment is of the row's own run and no reference tells the two apart: one of them has no reference, or a
 * spreadsheet may have turned one reference into two.
 */
function isUnnamedInRun(row: ComparedRow, payment: EarlierPayment): boolean {
  if (payment.run_id !== row.run_id || payment.row_ref === null || row.row_ref === null) return false;
  return !areDistinct(row.row_ref, payment.row_ref);
}

/**
 * Whether the row may correct this payment of its run: no reference tells them apart, and the payment's row is not in
 * the file. If the payment's batch has sent this row as well, both payments were intended there.
 */
export function mayCorrect(row: ComparedRow, payment: EarlierPayment, { earlier, isInFile }: KnownPayments): boolean {
  if (!isUnnamedInRun(row, payment) || maySame(row, payment)) return false;
  const isBothSent =
    !isLost(payment) &&
    earlier.some((one) => !isLost(one) && one.batch_id === payment.batch_id && one.row_ref === row.row_ref);
  return !isBothSent && !(payment.row_ref !== null && isInFile(payment.row_ref));
}

/**
 * Whether other runs find a lost payment through the row that has its reference. They do not if a corrected file has
 * bound the reference to another amount or number. Fields of the payment that cannot be read count as equal to the
 * row's.
 */
export function isExplainedBy(
  row: Pick<PaymentTerms, 'phone_number' | 'amount' | 'currency'>,
  { phone_number, amount, currency }: { phone_number: string; amount: string | null; currency: string | null },
): boolean {
  if (phone_number !== '' && phone_number !== row.phone_number) return false;
  if (amount === null || row.amount === null) return true;
  return currency === row.currency && sameAmount(amount, row.amount);
}
