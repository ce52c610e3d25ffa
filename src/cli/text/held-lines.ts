import type { z } from 'zod';
import { moneyText } from '../../core/money/money.ts';
import { problemTitle } from '../../core/state/problem-table.ts';
import { visible } from '../../core/text/visible.ts';
import type { reviewRelease } from '../../operations/rows/review-release.ts';
import { requestedText } from '../../reports/sentences/format.ts';
import { counted } from '../../reports/text/counted-text.ts';

type Review = z.output<typeof reviewRelease.result>;
type HeldRow = Review['reasons'][number]['examples'][number];

/** Why rows are held and what they would pay, for the person who decides about their release. */
export function heldLines({ held, sums, products, reasons }: Review): string {
  const lines = [`Held       ${counted(held, 'row')}: ${requestedText(sums, products)}`];
  for (const { code, earlier_batch, count, examples } of reasons) {
    const earlier = earlier_batch === null ? '' : ` (batch ${earlier_batch})`;
    lines.push(`           ${counted(count, 'row')} for ${code}${earlier}: ${problemTitle(code)}`);
    for (const row of examples) lines.push(`             ${rowText(row)}`);
    if (count > examples.length) lines.push(`             and ${counted(count - examples.length, 'row')} more`);
  }
  return `${lines.map(visible).join('\n')}\n`;
}

function rowText({ row, line, person, phone_number, currency, amount, product_id, why }: HeldRow): string {
  const asked = currency !== null && amount !== null ? moneyText(currency, amount) : `product ${product_id}`;
  return `row ${row} (line ${line}): ${[...(person === null ? [] : [person]), phone_number].join(', ')}, ${asked}. ${why}`;
}
