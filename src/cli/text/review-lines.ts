import { moneyText, Sums, subtractAmounts } from '../../core/money/money.ts';
import { visible } from '../../core/text/visible.ts';
import type { Preflight } from '../../engine/plan/preflight.ts';
import { type ExpectedCost, expectedCostText } from '../../reports/sentences/expected-cost.ts';
import { sumsText } from '../../reports/sentences/format.ts';
import { sameRowsText } from '../../reports/summary/repeated-rows.ts';
import type { Review, ReviewedRow } from '../../reports/summary/review.ts';
import { counted } from '../../reports/text/counted-text.ts';

/** What an approver should look at, in a few lines. */
export function reviewLines(
  review: Review,
  people: ReadonlyMap<number, string>,
  plan: Preflight,
  expected: ExpectedCost,
): string {
  const rowText = (row: ReviewedRow) => visible(reviewedText(row, people.get(row.row)));
  const lines: string[] = [];
  for (const [index, row] of review.largest.entries())
    lines.push(`${index === 0 ? 'Largest    ' : '           '}${rowText(row)}`);
  const held = Object.entries(review.held);
  if (held.length > 0)
    lines.push(
      `Held       ${held.map(([code, count]) => `${count} ${code}`).join(', ')} (they are not sent unless released)`,
    );
  lines.push(...review.same_rows.map((same) => `Note       ${sameRowsText(same)}`));
  lines.push(...sinceLines(review.since, rowText));
  lines.push(...costLines(plan, expected));
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function sinceLines(since: Review['since'], rowText: (row: ReviewedRow) => string): string[] {
  if (since === null) return [];
  const { batch_id, new_numbers, new_examples, changed, changed_percent, changed_examples, cost } = since;
  const lines = [`Since      ${batch_id}, the last run of this job:`];
  lines.push(`           ${new_numbers === 0 ? 'no new numbers' : counted(new_numbers, 'new number')}`);
  for (const row of new_examples) lines.push(`             ${rowText(row)}`);
  if (Object.keys(cost).length > 0) lines.push(`           it cost ${sumsText(cost)}`);
  lines.push(
    `           ${changed === 0 ? 'no amount' : counted(changed, 'amount')} changed by more than ${changed_percent}%`,
  );
  for (const row of changed_examples)
    lines.push(`             ${rowText(row)}, before ${moneyText(row.currency, row.before)}`);
  return lines;
}

function reviewedText({ row, phone_number, currency, amount }: ReviewedRow, name: string | undefined): string {
  return `row ${row}: ${name === undefined ? '' : `${name}, `}${phone_number}${amount === '' ? '' : `, ${moneyText(currency, amount)}`}`;
}

/**
 * What the rows to pay ask for, by the currency of the recipients, with the products by their prices in the catalog.
 */
export function askedWithProducts({
  sums,
  productSums,
}: Pick<Preflight, 'sums' | 'productSums'>): Record<string, string> {
  const asked = new Sums();
  for (const part of [sums, productSums]) for (const [currency, sum] of Object.entries(part)) asked.add(currency, sum);
  return asked.toObject();
}

/**
 * What it costs and what is left: for sure where one wallet pays all in its own currency, else judged by recent
 * payments.
 */
function costLines(plan: Preflight, expected: ExpectedCost): string[] {
  const wallets = (plan.balance?.wallets ?? []).filter(({ active }) => active);
  const [wallet] = wallets;
  const [sum, ...others] = Object.entries(plan.sums);
  if (wallet && sum && wallets.length === 1 && others.length === 0 && wallet.currency === sum[0] && plan.products === 0)
    return [
      `Cost       ${moneyText(wallet.currency, sum[1])}`,
      `Afterwards ${moneyText(wallet.currency, subtractAmounts(wallet.balance, sum[1]))} in the wallet`,
    ];
  const unpriced = plan.productsUnpriced === 0 ? '' : `; ${counted(plan.productsUnpriced, 'product')} without a price`;
  return [`Cost       ${expectedCostText(expected)}${unpriced}`, 'Afterwards balance unknown until sent'];
}
