import { addAmounts, compareAmounts, moneyText, multiplyAmount } from '../money/money.ts';
import { isoTime } from '../time/clock.ts';
import type { DuplicateProblem } from './duplicate-problems.ts';
import { countsAsPaid, type EarlierPayment, isLost, knownSince } from './earlier-payments.ts';
import type { AskingRow, DuplicateRules } from './question.ts';

export interface BeyondMaximum {
  problem: DuplicateProblem;
  /** When the latest of the added payments was first sent (epoch ms); 0 if there is none. */
  until: number;
}

/**
 * Whether this row, with the `earlier` payments to its number, takes the number over the maximum, and why. A payment
 * that failed for sure does not count. Neither does a product, because the ledger does not know its price. Once a
 * person has released the row, only payments known since then hold it again, but not those of rows of its own batch
 * that were released as well.
 */
export function beyondMaximum(
  row: AskingRow,
  earlier: readonly EarlierPayment[],
  { days, sums, since }: NonNullable<DuplicateRules['maximum']>,
): BeyondMaximum | null {
  const { amount, currency, maximumKnownUntil } = row;
  const most = sums[currency ?? ''];
  if (amount === null || currency === null || most === undefined) return null;
  const counted = earlier.filter((payment) => {
    return payment.currency === currency && payment.first_sent_at >= since && counts(row, payment);
  });
  const isNews =
    maximumKnownUntil === null ||
    counted.some((one) => knownSince(one) > maximumKnownUntil && !isReleasedInOwnBatch(row, one));
  if (!isNews) return null;
  const before = counted.reduce((sum, payment) => addAmounts(sum, receivedOf(payment)), '0');
  const after = addAmounts(before, amount);
  if (compareAmounts(after, most) <= 0) return null;
  const until = counted.reduce((latest, payment) => Math.max(latest, knownSince(payment)), 0);
  const lastAt = counted.reduce((latest, { first_sent_at }) => Math.max(latest, first_sent_at), 0);
  const was =
    lastAt === 0 ? '' : ` It was sent ${moneyText(currency, before)} before, last on ${isoTime(lastAt).slice(0, 10)}.`;
  return {
    problem: {
      code: 'RECIPIENT_MAXIMUM',
      message: `With this row the number gets ${moneyText(currency, after)} within ${days} days, and ${moneyText(currency, most)} are allowed.${was}`,
      values: { amount: most, currency, days: String(days), sum: after },
      suggestion: 'Release the row if the recipient should get all of it; skip it if not.',
    },
    until,
  };
}

/** What the number may have got by a payment: twice its amount if its row may have been paid twice. */
function receivedOf(payment: EarlierPayment): string {
  const times = isLost(payment) || payment.second_topup_id === null ? 1 : 2;
  return multiplyAmount(payment.amount ?? '0', times);
}

/** A person who releases rows of a batch sees all of its held rows. */
function isReleasedInOwnBatch(row: AskingRow, payment: EarlierPayment): boolean {
  return !isLost(payment) && payment.batch_id === row.batch_id && payment.known_until !== null;
}

/**
 * Whether a payment counts. A lookup decides about the row's own payments. A lost payment counts only if it was
 * certainly made to this number.
 */
function counts(row: AskingRow, payment: EarlierPayment): boolean {
  if (isLost(payment))
    return payment.isToAnyone !== true && !(payment.run_id === row.run_id && payment.row_ref === row.row_ref);
  return countsAsPaid(payment) && !(payment.batch_id === row.batch_id && payment.row_no === row.row_no);
}
