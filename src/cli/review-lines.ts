import { moneyText, subtractAmounts } from '../core/money.ts';
import type { Preflight } from '../engine/preflight.ts';
import { sumsText } from '../reports/format.ts';
import type { Review, ReviewedRow } from '../reports/review.ts';
import { sameRowsText } from '../reports/same-rows.ts';
import { counted } from '../reports/words.ts';

/** What an approver should look at, in a few lines. */
export function reviewLines(review: Review, plan: Preflight): string {
  const lines: string[] = [];
  for (const [index, row] of review.largest.entries())
    lines.push(`${index === 0 ? 'Largest    ' : '           '}${rowText(row)}`);
  const held = Object.entries(review.held);
  if (held.length > 0)
    lines.push(
      `Held       ${held.map(([code, count]) => `${count} ${code}`).join(', ')} (they are not sent unless released)`,
    );
  lines.push(...review.same_rows.map((same) => `Note       ${sameRowsText(same)}`));
  lines.push(...sinceLines(review.since));
  lines.push(...leftLines(plan));
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

function rowText({ row, phone_number, currency, amount }: ReviewedRow): string {
  return `row ${row}: ${phone_number}${amount === '' ? '' : `, ${moneyText(currency, amount)}`}`;
}

/** What will be left, where it is plain which wallet pays what: the service chooses among several, the rate between currencies, and prices. */
function leftLines({ balance, sums, products }: Preflight): string[] {
  const wallets = (balance?.wallets ?? []).filter(({ active }) => active);
  const [wallet] = wallets;
  const [sum, ...others] = Object.entries(sums);
  if (!wallet || !sum || wallets.length > 1 || others.length > 0 || wallet.currency !== sum[0] || products > 0)
    return ['Left       not known before: the service chooses the wallet and the rate'];
  return [`Left       ${moneyText(wallet.currency, subtractAmounts(wallet.balance, sum[1]))}`];
}
