import { addAmounts, compareAmounts, moneyText } from '../money/money.ts';
import type { RecipientMaximum } from '../state/batch-policy.ts';
import { isoTime } from '../time/clock.ts';
import { countsAsSent, countsSince, type LostPayment, type OtherPayment } from './known-payments.ts';

/** A row that is asked about: what it asks for, and what its key is made of. */
export interface AskingRow {
  batch_id: string;
  row_no: number;
  run_id: string;
  row_ref: string | null;
  amount: string | null;
  currency: string | null;
  /**
   * What was first sent until then (epoch ms) a person knew of who has let it go though its number gets too much; null
   * where nobody has.
   */
  told_until: number | null;
}

export interface BeyondMaximum {
  problem: { code: 'RECIPIENT_MAXIMUM'; message: string; suggestion: string };
  /**
   * Since when the last of the payments counts (epoch ms), all of which whoever lets the row go decides about; 0 where
   * there is none.
   */
  until: number;
}

/**
 * Says that with this row the number gets more than the maximum, or null. `toTheNumber`: what it was sent within the
 * days, and what a restored ledger has lost. What failed for sure does not count, nor does a product, whose price the
 * ledger does not know. Once a person has let the row go, only what was sent since then is news; but for rows of its
 * own batch that were let go as well.
 */
export function beyondMaximum(
  row: AskingRow,
  toTheNumber: readonly (OtherPayment | LostPayment)[],
  { days, sums, since }: RecipientMaximum & { since: number },
): BeyondMaximum | null {
  const { amount, currency, told_until } = row;
  const most = sums[currency ?? ''];
  if (amount === null || currency === null || most === undefined) return null;
  const counted = toTheNumber.filter((payment) => {
    return payment.currency === currency && payment.first_sent_at >= since && counts(row, payment);
  });
  const isNews =
    told_until === null || counted.some((one) => countsSince(one) > told_until && !isReleasedInOtherBatch(row, one));
  if (!isNews) return null;
  const before = counted.reduce((sum, payment) => addAmounts(sum, payment.amount ?? '0'), '0');
  const after = addAmounts(before, amount);
  if (compareAmounts(after, most) <= 0) return null;
  const until = counted.reduce((latest, payment) => Math.max(latest, countsSince(payment)), 0);
  const lastAt = counted.reduce((latest, { first_sent_at }) => Math.max(latest, first_sent_at), 0);
  const was =
    lastAt === 0 ? '' : ` It was sent ${moneyText(currency, before)} before, last on ${isoTime(lastAt).slice(0, 10)}.`;
  return {
    problem: {
      code: 'RECIPIENT_MAXIMUM',
      message: `With this row the number gets ${moneyText(currency, after)} within ${days} days, and ${moneyText(currency, most)} are allowed.${was}`,
      suggestion: 'Release the row if all of it is meant; skip it if not.',
    },
    until,
  };
}

/** Whoever lets rows of one batch go sees all of them that are held. */
function isReleasedInOtherBatch(row: AskingRow, payment: OtherPayment | LostPayment): boolean {
  return isOfBatch(row, payment) && payment.told_until !== null;
}

function isOfBatch(row: AskingRow, payment: OtherPayment | LostPayment): payment is OtherPayment {
  return 'batch_id' in payment && payment.batch_id === row.batch_id;
}

/**
 * What the row itself was sent before is looked up before it goes. Of what was lost it must be known that it was to
 * this number.
 */
function counts(row: AskingRow, payment: OtherPayment | LostPayment): boolean {
  if ('topup_id' in payment)
    return payment.isToAnyone !== true && !(payment.run_id === row.run_id && payment.row_ref === row.row_ref);
  return countsAsSent(payment) && !(isOfBatch(row, payment) && payment.row_no === row.row_no);
}
