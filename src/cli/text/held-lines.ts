import { moneyText } from '../../core/money/money.ts';
import { visible } from '../../core/text/visible.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import { requestedText } from '../../reports/sentences/format.ts';
import type { HeldRows } from '../../reports/summary/held.ts';
import { personOf } from '../../reports/summary/stored.ts';
import { counted } from '../../reports/text/counted-text.ts';

/** What rows are held for, and what they would pay, before a person lets them go. */
export function heldLines(batch: BatchRecord, { count, sums, products, reasons }: HeldRows): string {
  const lines = [`Held       ${counted(count, 'row')}: ${requestedText(sums, products)}`];
  for (const [code, { count: ofCode, examples }] of reasons) {
    lines.push(`           ${counted(ofCode, 'row')} for ${code}:`);
    for (const row of examples) lines.push(`             ${rowText(batch, row)}`);
    if (ofCode > examples.length) lines.push(`             and ${counted(ofCode - examples.length, 'row')} more`);
  }
  return `${lines.map(visible).join('\n')}\n`;
}

function rowText(batch: BatchRecord, row: RowRecord): string {
  const { row_no, line, phone_number, currency, amount, product_id, problems } = row;
  const name = personOf(batch, row, { mask: false });
  const asked = currency !== null && amount !== null ? moneyText(currency, amount) : `product ${product_id}`;
  const why = (JSON.parse(problems ?? '[]') as { message: string }[]).map(({ message }) => message).join(' ');
  return `row ${row_no} (line ${line}): ${[...(name === null ? [] : [name]), phone_number].join(', ')}, ${asked}. ${why}`;
}
