import { ExactSums, sameDecimal, sumsOf } from '../input/decimal.ts';
import type { Findings } from '../input/findings.ts';
import type { Summary } from './summary.ts';

const file = 'summary.json';

/**
 * The name for wallets without a currency (Version 1): they are compared all together, and stand for every currency
 * that no other wallet names.
 */
export const unnamed = '';

/**
 * Checks the numbers of summary.json that follow from others in it: the sum in doubt, what left the wallets, and how
 * much of it is explained. Refunds are compared with the chain (`checkRefunds`). What other batches were charged
 * meanwhile is in no other place of these reports.
 */
export function checkBalanceProof(summary: Summary, sentBefore: ExactSums, findings: Findings): void {
  const { rows, requested, charged, in_doubt, balance } = summary;
  const doubted = sumsOf(requested.by_status.in_doubt ?? {});
  const said = in_doubt.rows === (rows.by_status.in_doubt ?? 0) && (in_doubt.left_to_person ?? 0) <= in_doubt.rows;
  if (!said || doubted.differences(sumsOf(in_doubt.requested)).length > 0)
    findings.add(file, 'has other numbers in doubt than its rows by state.');
  for (const { wallet_id, before, after, difference } of balance.wallets) {
    const isRead = before !== null && after !== null;
    const agrees = isRead ? difference !== null && isRest(difference, before, after) : difference === null;
    const expected = difference ?? 'nothing';
    if (!agrees)
      findings.add(file, `has ${expected} as what left wallet ${wallet_id}, which held ${before} and ${after}.`);
  }
  const isKnown = balance.after_read_at !== null && balance.before_read_at !== null;
  if (!isKnown && balance.explanation.length === 0) return;
  checkExplanation({ charged, balance }, sentBefore, findings);
}

function checkExplanation(
  { charged, balance }: Pick<Summary, 'charged' | 'balance'>,
  sentBefore: ExactSums,
  findings: Findings,
): void {
  const [left, own, statedLeft, statedOwn] = [new ExactSums(), new ExactSums(), new ExactSums(), new ExactSums()];
  for (const { currency, before, after } of balance.wallets) {
    left.add(currency, before ?? '0');
    left.subtract(currency, after ?? '0');
  }
  const named = new Set(balance.wallets.map(({ currency }) => currency));
  // Of rows that had been sent before the first reading, the charges may be left out.
  const withSentBefore = new ExactSums();
  for (const [currency, value] of Object.entries(charged.total)) {
    const name = named.has(unnamed) && !named.has(currency) ? unnamed : currency;
    own.add(name, value);
    withSentBefore.addFrom(name, sentBefore, currency);
  }
  for (const {
    currency,
    difference,
    charged_by_this_batch,
    charged_late = '0',
    charged_by_other_batches,
    came_back,
    unexplained,
  } of balance.explanation) {
    statedLeft.add(currency, difference);
    statedOwn.add(currency, charged_by_this_batch);
    withSentBefore.add(currency, charged_by_this_batch);
    const rest = new ExactSums();
    for (const part of [charged_by_this_batch, charged_late, charged_by_other_batches, unexplained]) rest.add('', part);
    for (const part of [difference, came_back ?? '0']) rest.subtract('', part);
    if (!rest.isZero(''))
      findings.add(file, `has an explanation of what left the wallets ${inCurrency(currency)} that does not add up.`);
  }
  const explained = new Set(balance.explanation.map(({ currency }) => currency));
  for (const currency of named)
    if (!explained.has(currency)) findings.add(file, `has no explanation for the wallets ${inCurrency(currency)}.`);
  for (const currency of left.differences(statedLeft))
    findings.add(file, `has another sum for what left the wallets ${inCurrency(currency)} than their balances show.`);
  const wrong = own.differences(withSentBefore);
  for (const currency of own.differences(statedOwn).filter((one) => wrong.includes(one)))
    findings.add(file, `explains the wallets ${inCurrency(currency)} with other charges than those of the batch.`);
  const isExplained = balance.explanation.every(({ unexplained }) => sameDecimal(unexplained, '0'));
  if (balance.explained !== isExplained)
    findings.add(file, 'contradicts its own numbers about whether the wallets are explained.');
}

function inCurrency(currency: string): string {
  return currency === unnamed ? 'without a currency' : `in ${currency}`;
}

function isRest(difference: string, before: string, after: string): boolean {
  const rest = new ExactSums();
  rest.add('', before);
  for (const part of [after, difference]) rest.subtract('', part);
  return rest.isZero('');
}
