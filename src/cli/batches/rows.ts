import type { z } from 'zod';
import { moneyText } from '../../core/money/money.ts';
import type { RowState } from '../../core/state/row-state.ts';
import { rowStateTexts } from '../../core/state/state-texts.ts';
import { listRows } from '../../operations/rows/list-rows.ts';
import { timeText } from '../../reports/sentences/format.ts';
import type { CommandContext } from '../base/command.ts';
import { printTable, type TableColumn } from '../base/table.ts';
import { wholeNumber } from '../base/whole-number.ts';
import { withCalls } from '../session/call.ts';

type Found = z.output<typeof listRows.result>;

interface RowsOptions {
  state?: string[];
  find?: string;
  code?: string;
  after?: string;
  limit?: string;
}

const columns: readonly TableColumn[] = [
  { name: 'row', align: 'right' },
  { name: 'reference', breaksInWords: true },
  { name: 'name' },
  { name: 'number' },
  { name: 'amount', align: 'right' },
  { name: 'status' },
  { name: 'service' },
  { name: 'why', widthMax: 60 },
];

/** `airbatch rows BATCH`: lists the rows of a batch. */
export async function execute(
  context: CommandContext,
  [batch_id = '']: string[],
  { state, find, code, after, limit }: RowsOptions,
): Promise<number> {
  const most = wholeNumber('--limit', limit, 1) ?? 100;
  const found: Found = { batch_id, rows: [], next: wholeNumber('--after', after) ?? 0 };
  await withCalls(context, async (call) => {
    // The rows of a filter may be far apart: then a page has only some of them, or none.
    do {
      const wanted = { batch_id, status: state as RowState[] | undefined, find, code };
      const page: Found = await call(listRows, {
        ...wanted,
        after: found.next ?? 0,
        limit: most - found.rows.length,
      });
      found.rows.push(...page.rows);
      found.next = page.next;
    } while (found.next !== null && found.rows.length < most);
  });
  printTable(context, columns, found.rows.map(cells), { json: found, none: 'No rows.' });
  if (found.next !== null && !context.json) context.terminal.print(`More rows may follow: --after ${found.next}\n`);
  return 0;
}

function cells(row: Found['rows'][number]): string[] {
  const { row_no, row_ref, person, phone_number, amount, currency, product_id, status, service_status } = row;
  const { reason, in_doubt_since, paid_by } = row;
  const why = [
    reason,
    in_doubt_since && `In doubt since ${timeText(in_doubt_since)}.`,
    paid_by && `Paid by batch ${paid_by}.`,
  ];
  return [
    String(row_no),
    row_ref ?? '',
    person ?? '',
    phone_number ?? '',
    amount === null ? (product_id ?? '') : moneyText(currency ?? '', amount),
    rowStateTexts[status].label,
    service_status ?? '',
    why.filter((part) => part !== null).join(' '),
  ];
}
