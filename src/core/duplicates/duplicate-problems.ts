import { assert } from '../basics/assert.ts';
import { moneyText } from '../money/money.ts';
import { bearsEarlierPayment } from '../state/earlier-payment.ts';
import type { ProblemCode, ProblemValues } from '../state/problem-table.ts';
import { rowStateTexts } from '../state/state-texts.ts';
import { isoTime } from '../time/clock.ts';
import { type EarlierPayment, isLost, type LostPayment, type SentPayment } from './earlier-payments.ts';
import type { FileRules, KeyOwner, RowOfFile, SharedInFile } from './question.ts';

/** Why a row is not paid, or waits for a person. */
export interface DuplicateProblem {
  code: ProblemCode;
  message: string;
  suggestion: string;
  /** The batch that has sent, paid or tried the same. */
  earlier_batch?: string;
  values?: ProblemValues;
}

type OwnerProblem = (owner: KeyOwner) => DuplicateProblem;

export const mayBePaid: OwnerProblem = (owner) => ({
  code: 'MAY_BE_PAID',
  earlier_batch: owner.batch_id,
  values: ownerValues(owner),
  message: `This row seemed to have failed in ${placeOf(owner)}, but the service now reports its payment as ${owner.contradicted}.`,
  suggestion: 'Skip it here if the recipient has it. If not, ask the service to confirm, and use a new reference.',
});

export const failedDoubtfully: OwnerProblem = (owner) => ({
  code: 'FAILED_BEFORE',
  earlier_batch: owner.batch_id,
  values: ownerValues(owner),
  message: `This row was tried in ${placeOf(owner)}. The service reports ${owner.service_status}: the airtime may have arrived.`,
  suggestion: `Ask the recipient. If nothing arrived, retry it there ("airbatch retry ${owner.batch_id} --code ${owner.service_status}"). Skip it here.`,
});

export const triedTooOften: OwnerProblem = (owner) => ({
  code: 'FAILED_BEFORE',
  earlier_batch: owner.batch_id,
  values: ownerValues(owner),
  message: `This row was tried ${owner.generation} times, which is the maximum, and failed each time, the last time in ${placeOf(owner)}.`,
  suggestion: 'Skip it here. If it must still be paid, put it into a new file with a new reference.',
});

export const skippedUnpaid: OwnerProblem = (owner) => ({
  code: 'FAILED_BEFORE',
  earlier_batch: owner.batch_id,
  values: ownerValues(owner),
  message: `This row was tried in ${placeOf(owner)}, where nothing was paid, and was skipped there.`,
  suggestion: 'Skip it here, and run the file again under its run id: then the row can be paid.',
});

export const referenceReused: OwnerProblem = (owner) => ({
  code: 'REFERENCE_REUSED',
  earlier_batch: owner.batch_id,
  values: ownerValues(owner),
  message: `In ${placeOf(owner)}, the same reference was used for a different payment: another number, network, amount or product.`,
  suggestion: 'Skip it here if it only corrects that payment. If it is another payment, give it a new reference.',
});

export const failedBefore: OwnerProblem = (owner) => ({
  code: 'FAILED_BEFORE',
  earlier_batch: owner.batch_id,
  values: ownerValues(owner),
  message: `This row was tried in ${placeOf(owner)}, and failed there.`,
  suggestion: `Retry it there ("airbatch retry ${owner.batch_id}"), and skip it here.`,
});

/** A person looks for the line in the file of that batch; the number of the row is for the command line. */
function ownerValues({ batch_id, row_no, line }: Pick<KeyOwner, 'batch_id' | 'row_no' | 'line'>): ProblemValues {
  return { batch: batch_id, row: String(row_no), earlier_line: String(line) };
}

const nothingToDo = 'Nothing to do. To pay again on purpose, use a new reference or a new run id.';

export const alreadyPaid: OwnerProblem = (owner) => ({
  code: 'ALREADY_PAID',
  earlier_batch: owner.batch_id,
  values: ownerValues(owner),
  message: `This row was paid in ${placeOf(owner)}: it is not paid again.`,
  suggestion: nothingToDo,
});

export const alreadySent: OwnerProblem = (owner) => ({
  code: 'ALREADY_SENT',
  earlier_batch: owner.batch_id,
  values: ownerValues(owner),
  message: `This row is being paid in ${placeOf(owner)} (${rowStateTexts[owner.status].label}): it is not sent here.`,
  suggestion: nothingToDo,
});

export function sentLately(payment: EarlierPayment): DuplicateProblem {
  if (isLost(payment) && payment.isToAnyone)
    return {
      code: 'SENT_LATELY',
      values: { why: 'unread' },
      message: `The same number may have been sent the same ${unknownPlaceOf(payment)}.`,
      suggestion:
        'Look for that payment at the service. Release the row if it is another one; skip it if it is the same.',
    };
  const message = isLost(payment)
    ? `The same number was sent ${whatOf(payment)} on ${lostPlaceOf(payment)}.`
    : `The same number was sent the same on ${dayOf(payment)}, in ${placeOf(payment)} (run ${payment.run_id}, ${statusOf(payment)}).`;
  return {
    code: 'SENT_LATELY',
    values: paymentValues(payment),
    message,
    suggestion: 'Release the row to pay both; skip it if it is the same payment.',
  };
}

export function paidOtherwise(payment: EarlierPayment): DuplicateProblem {
  const place = isLost(payment)
    ? lostPlaceOf(payment)
    : `${dayOf(payment)}, in ${placeOf(payment)} (${statusOf(payment)})`;
  return {
    code: 'PAID_OTHERWISE',
    ...earlierBatchOf(payment),
    values: paymentValues(payment),
    message: `This run has sent the number ${whatOf(payment)} on ${place}, which is not in this file.`,
    suggestion: 'Release the row to pay both; skip it if it corrects that payment.',
  };
}

function earlierBatchOf(payment: EarlierPayment): Pick<DuplicateProblem, 'earlier_batch'> {
  return isLost(payment) ? {} : { earlier_batch: payment.batch_id };
}

function paymentValues(payment: EarlierPayment): ProblemValues {
  const day = dayOf(payment);
  return isLost(payment) ? { why: 'lost', day } : { why: 'sent', day, ...ownerValues(payment) };
}

const unreadSince = 'unread since ';

/**
 * Names, in place of the service's id, everything that its list may contain from a time on (epoch ms) and that nobody
 * could read, because a person resumed without the list at `promisedMs`. After a second restore that time differs, and
 * so does the name.
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

function whatOf(payment: EarlierPayment): string {
  if (payment.amount !== null) return moneyText(payment.currency ?? '', payment.amount);
  return isLost(payment) ? 'something' : `product ${payment.product_id}`;
}

function dayOf({ first_sent_at }: EarlierPayment): string {
  return isoTime(first_sent_at).slice(0, 10);
}

function placeOf({ batch_id, row_no }: Pick<SentPayment, 'batch_id' | 'row_no'>): string {
  return `batch ${batch_id}, row ${row_no}`;
}

/** To the minute: with this time and the number, a person finds the payment in the service's own list. */
function lostPlaceOf(lost: LostPayment): string {
  const { first_sent_at, topup_id, run_id } = lost;
  const name = run_id === '' ? topup_id : `${topup_id}, run ${run_id}`;
  return `${dayOf(lost)} at ${isoTime(first_sent_at).slice(11, 16)} UTC, by a payment that only the service knows since the ledger was restored (${name})`;
}

function statusOf(payment: SentPayment): string | null {
  if (payment.contradicted !== null) return `${payment.contradicted} by what the service says now, after it had failed`;
  return payment.status === 'failed' || bearsEarlierPayment(payment) ? payment.service_status : payment.status;
}

export function referenceTwice({ line }: RowOfFile, { referenceLine }: SharedInFile): DuplicateProblem {
  return {
    code: 'REFERENCE_TWICE',
    message: `Line ${line} and line ${referenceLine} have the same reference: it is unclear which of them to pay.`,
    suggestion: 'Give each its own reference, or delete the one that you do not want to pay.',
    values: { line: String(line), other_line: String(referenceLine) },
  };
}

export function paidTwiceByFile(
  { line, product_id }: RowOfFile,
  { contentLine }: SharedInFile,
  { duplicates }: FileRules,
): DuplicateProblem {
  return {
    code: 'DUPLICATE',
    message: `Line ${line} pays the same number the same ${product_id === null ? 'amount' : 'product'} as line ${contentLine}.`,
    suggestion:
      duplicates === 'reject'
        ? 'Delete the row that you do not want to pay.'
        : 'Release it if you want to pay both ("airbatch release"); skip it if not ("airbatch skip").',
    values: { line: String(line), other_line: String(contentLine) },
  };
}

export function beyondNumberMaximum(
  { currency }: RowOfFile,
  _: SharedInFile,
  { numberMax }: FileRules,
): DuplicateProblem {
  const most = numberMax[currency ?? ''];
  assert(currency !== null && most !== undefined, 'only an amount whose currency has a maximum is beyond it');
  return {
    code: 'NUMBER_MAXIMUM',
    message: `With this row the number gets more than ${moneyText(currency, most)} from the file.`,
    values: { amount: most, currency },
    suggestion:
      'Check all rows of this number. To pay this one, release it ("airbatch release"); if not, skip it ("airbatch skip").',
  };
}
