import type { z } from 'zod';
import { moneyText, subtractAmounts } from '../../core/money/money.ts';
import { problemTitle } from '../../core/state/problem-table.ts';
import { visible } from '../../core/text/visible.ts';
import type { Plan } from '../../operations/base/plan.ts';
import type { reviewBatch } from '../../operations/batches/review-batch.ts';
import { type ExpectedCost, expectedCostText } from '../../reports/sentences/expected-cost.ts';
import { sumsText } from '../../reports/sentences/format.ts';
import { sameRowsText } from '../../reports/summary/repeated-rows.ts';
import { counted } from '../../reports/text/counted-text.ts';

type Reviewed = z.output<typeof reviewBatch.result>;
type Review = Reviewed['review'];
type ReviewedRow = Review['largest'][number];

/** What an approver should check, in a few lines. */
export function reviewLines({ review, plan, expected_cost }: Reviewed): string {
  const lines: string[] = [];
  for (const [index, row] of review.largest.entries())
    lines.push(`${index === 0 ? 'Largest    ' : '           '}${rowText(row)}`);
  const held = Object.entries(review.held);
  if (held.length > 0)
    lines.push(
      ...held.map(([code, count], index) => {
        const why = `${counted(count, 'row')}: ${problemTitle(code)}`;
        return `${index === 0 ? 'Held      ' : '          '} ${why}${index === held.length - 1 ? ' (not sent unless released)' : ''}`;
      }),
    );
  lines.push(...review.same_rows.map((same) => `Note       ${sameRowsText(same)}`));
  lines.push(...sinceLines(review.since));
  lines.push(...costLines(plan, expected_cost));
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function sinceLines(since: Review['since']): string[] {
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

function rowText({ row, person, phone_number, currency, amount }: ReviewedRow): string {
  const paid = amount === '' ? '' : `, ${moneyText(currency, amount)}`;
  return visible(`row ${row}: ${person === null ? '' : `${person}, `}${phone_number}${paid}`);
}

/**
 * The cost and the remaining balance: exact if one wallet pays everything in its own currency, else an estimate from
 * recent payments.
 */
function costLines(plan: Plan, expected: ExpectedCost): string[] {
  const wallets = (plan.balance?.wallets ?? []).filter(({ active }) => active);
  const [wallet] = wallets;
  const [sum, ...others] = Object.entries(plan.sums);
  if (wallet && sum && wallets.length === 1 && others.length === 0 && wallet.currency === sum[0] && plan.products === 0)
    return [
      `Cost       ${moneyText(wallet.currency, sum[1])}`,
      `Afterwards ${moneyText(wallet.currency, subtractAmounts(wallet.balance, sum[1]))} in the wallet`,
    ];
  const unpriced =
    plan.products_unpriced === 0 ? '' : `; ${counted(plan.products_unpriced, 'product')} without a price`;
  return [`Cost       ${expectedCostText(expected)}${unpriced}`, 'Afterwards balance unknown until sent'];
}
