import { compareAmounts, sameAmount, subtractAmounts } from '../../core/money/money.ts';
import type { BatchSummary } from '../summary/summary.ts';
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

/**
 * Whether the wallets agree with the charges. Empty if they were not read both before the first row and after the last.
 */
export function balanceSentences(summary: BatchSummary): string[] {
  const { balance, charged, refunded } = summary;
  const others = paymentsInNoSum(summary);
  const late = balance.explanation.filter(({ charged_late }) => charged_late !== '0');
  if (balance.explained === true) {
    const said = 'Wallet balances match the charges exactly.';
    if (others === null) return [said];
    if (late.length > 0) {
      const sums = Object.fromEntries(late.map(({ currency, charged_late }) => [currency, charged_late]));
      return [`${said} They include ${sumsText(sums)} for ${others}.`];
    }
    return [`${said} Nothing had been charged by then for ${others}; later charges are not included here.`];
  }
  const sentences: string[] = [];
  const more =
    others === null || late.length > 0
      ? ', and no row of this ledger accounts for it.'
      : `: what was charged for ${others} is not included here, and may explain it.`;
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
        `${sumsText({ [currency]: less })} less left the wallets than was charged: a deposit or refund of that amount is not accounted for.`,
      );
  }
  return sentences;
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
