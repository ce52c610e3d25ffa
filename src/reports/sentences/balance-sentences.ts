import { compareAmounts, sameAmount, subtractAmounts } from '../../core/money/money.ts';
import type { BatchSummary } from '../summary/summary-shape.ts';
import { byWalletCurrency } from '../summary/unnamed-currencies.ts';
import { counted } from '../text/counted-text.ts';
import { sumsText } from './format.ts';

/** The most rows that are named one by one: each must be taken up with the service. */
const paidTwiceNamed = 5;

export function paidTwiceSentences({ paid_twice: { rows, first } }: BatchSummary): string[] {
  if (rows === 0) return [];
  const named = first.slice(0, paidTwiceNamed);
  const sentences = named.map(
    ({ row, topup_id, second_topup_id }) =>
      `Row ${row} may have been paid twice: the service has the payments ${topup_id} and ${second_topup_id}. Ask it to reverse one.`,
  );
  if (rows > named.length)
    sentences.push(`The same is true of ${counted(rows - named.length, 'more row')} (results.csv).`);
  return sentences;
}

export function paidUnsentSentences({ contradicted: { not_sent: rows = 0 } }: BatchSummary): string[] {
  if (rows === 0) return [];
  const [were, them, have] = rows === 1 ? ['was', 'it', 'has'] : ['were', 'them', 'have'];
  const payments = rows === 1 ? 'an earlier payment' : 'earlier payments';
  return [
    `${counted(rows, 'row')} ${were} skipped or cancelled, and the service says that ${payments} of ${them} ${have} arrived. Do not pay ${them} again.`,
  ];
}

export function takenBackSentences({ contradicted: { taken_back: rows = 0 } }: BatchSummary): string[] {
  if (rows === 0) return [];
  const [were, payments, had, recipients] =
    rows === 1
      ? ['was', 'the payment', 'it', 'the recipient has']
      : ['were', 'their payments', 'them', 'the recipients have'];
  return [
    `${counted(rows, 'row')} ${were} paid, and the service said later that ${payments} had not arrived, or no longer had ${had}: ask it whether ${recipients} the airtime.`,
  ];
}

/**
 * Whether the wallets agree with the charges. Empty if they were not read both before the first row and after the last.
 */
export function balanceSentences(summary: BatchSummary): string[] {
  const more = [...sentBeforeSentences(summary), ...uncertainSentences(summary)];
  if (summary.balance.explained !== true) return [...restSentences(summary), ...more];
  const others = paymentsInNoSum(summary);
  const late = summary.balance.explanation.filter(({ charged_late }) => charged_late !== '0');
  const sums = sumsText(Object.fromEntries(late.map(({ currency, charged_late }) => [currency, charged_late])));
  const sentences = ['Wallet balances match the charges exactly.'];
  if (late.length > 0)
    sentences.push(`They include ${sums} for ${others ?? 'paid rows whose cost the service changed afterwards'}.`);
  else if (others !== null)
    sentences.push(`Nothing had been charged by then for ${others}; later charges are not included here.`);
  return [sentences.join(' '), ...more];
}

/** What is in no comparison: a lost part of the ledger has paid it, before this batch was approved. */
function sentBeforeSentences({ balance: { explanation }, charged }: BatchSummary): string[] {
  const total = byWalletCurrency(explanation, charged.total);
  const before = explanation.map(({ currency, charged_by_this_batch }): [string, string] => [
    currency,
    subtractAmounts(total[currency] ?? '0', charged_by_this_batch),
  ]);
  const sums = Object.fromEntries(before.filter(([, amount]) => compareAmounts(amount, '0') > 0));
  if (Object.keys(sums).length === 0) return [];
  return [`${sumsText(sums)} was charged before the balance was first read, and is not compared with it.`];
}

/** What is not explained, by currency. */
function restSentences(summary: BatchSummary): string[] {
  const { balance, batch_id, charged, refunded } = summary;
  const sentences: string[] = [];
  // What rows of other batches that are still in doubt have cost is not known yet.
  const more =
    balance.uncertain.charges > 0
      ? '.'
      : `. Rows of other batches that were in doubt then may explain it: once they have a result, airbatch report ${batch_id} compares again. To look for another cause: airbatch reconcile --batch ${batch_id}`;
  for (const { currency, unexplained } of balance.explanation) {
    const less = subtractAmounts('0', unexplained);
    const back = refunded.amounts[currency];
    if (compareAmounts(unexplained, '0') > 0)
      sentences.push(
        `${sumsText({ [currency]: unexplained })} more left the wallets than the known charges${charged.rows_without_cost > 0 ? `: for ${counted(charged.rows_without_cost, 'paid row')} the service gave no cost.` : more}`,
      );
    else if (back !== undefined && sameAmount(back, less))
      sentences.push(
        `${sumsText({ [currency]: less })} less left the wallets than was charged: it is the refund of paid rows.`,
      );
    else if (compareAmounts(less, '0') > 0)
      sentences.push(
        `${sumsText({ [currency]: less })} less left the wallets than was charged: airbatch knows of no deposit or refund of that amount. To look for a refund: airbatch reconcile --batch ${batch_id}`,
      );
  }
  return sentences;
}

/** Charges that are named one by one: somebody must compare each with the service's statement. */
const uncertainNamed = 5;

/** The charges that may explain a difference, and how to find out. */
function uncertainSentences({ account, batch_id, balance: { uncertain } }: BatchSummary): string[] {
  const named = uncertain.first.slice(0, uncertainNamed);
  const sentences = named.map(({ row, batch_id: of, topup_id, first_sent_at, amount, currency, counted }) => {
    const payment = topup_id === null ? '' : ` (top-up ${topup_id})`;
    const place = `row ${row} of ${of === batch_id ? 'this batch' : `batch ${of}`}${payment}`;
    if (amount === null || currency === null) {
      const day = first_sent_at?.slice(0, 10);
      const times = day === undefined ? '' : ` --from ${day} --to ${day}`;
      return `A charge for ${place} may explain it: the service has a payment that had failed, or a second one, and its cost is not known. To ask for the cost: airbatch reconcile --account ${account}${times}`;
    }
    const charge = changeText(currency, amount);
    return counted
      ? `That holds if ${charge} for ${place} was between the two readings: the service does not say when it was.`
      : `T${charge.slice(1)} for ${place} may explain it: the service does not say when it was. Its statement shows that.`;
  });
  const rest = uncertain.charges - named.length;
  if (rest > 0) sentences.push(`The same is true of ${counted(rest, 'more charge')}.`);
  return sentences;
}

/** A charge, or a cost that the service reduced afterwards. */
function changeText(currency: string, amount: string): string {
  const isLess = compareAmounts(amount, '0') < 0;
  const sum = sumsText({ [currency]: isLess ? subtractAmounts('0', amount) : amount });
  return `${isLess ? 'the reduction' : 'the charge'} of ${sum}`;
}

/** The payments that the ledger knows of and whose charges are the cost of no row; null where there are none. */
function paymentsInNoSum({ contradicted, paid_twice: { rows, first } }: BatchSummary): string | null {
  const named = first
    .slice(0, paidTwiceNamed)
    .map(({ row, second_topup_id }) => `the second payment of row ${row} (${second_topup_id})`);
  if (rows > named.length) named.push(`the second payments of ${counted(rows - named.length, 'more row')}`);
  if (contradicted.rows > 0) {
    const [payments, them] = contradicted.rows === 1 ? ['payment', 'it'] : ['payments', 'them'];
    named.unshift(
      `the ${payments} of ${counted(contradicted.rows, 'row')} that failed at first (results.csv marks ${them} as contradicted)`,
    );
  }
  return named.length === 0 ? null : named.join(' and ');
}
