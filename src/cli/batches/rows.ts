import type { z } from 'zod';
import type { RowState } from '../../core/state/row-state.ts';
import { rowStateTexts } from '../../core/state/state-texts.ts';
import { listRows } from '../../operations/rows/list-rows.ts';
import { timeText } from '../../reports/sentences/format.ts';
import type { CommandContext } from '../base/command.ts';
import { type Column, printTable } from '../base/table.ts';
import { wholeNumber } from '../base/whole-number.ts';
import { withCalls } from '../session/call.ts';
import { askedText } from '../text/asked-text.ts';

type Found = z.output<typeof listRows.result>;

interface RowsOptions {
  state?: string[];
  find?: string;
  code?: string;
  after?: string;
  limit?: string;
}

type Row = Found['rows'][number];

const columns: readonly Column<Row>[] = [
  { name: 'row', align: 'right', cell: ({ row_no }) => String(row_no) },
  { name: 'reference', breaksInWords: true, cell: ({ row_ref }) => row_ref },
  { name: 'name', cell: ({ person }) => person },
  { name: 'number', cell: ({ phone_number }) => phone_number },
  { name: 'amount', align: 'right', cell: askedText },
  { name: 'status', cell: ({ status }) => rowStateTexts[status].label },
  { name: 'service', cell: ({ service_status }) => service_status },
  { name: 'why', widthMax: 60, cell: whyText },
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
  printTable(context, columns, found.rows, { json: found, none: 'No rows.' });
  if (found.next !== null && !context.json) context.terminal.print(`More rows may follow: --after ${found.next}\n`);
  return 0;
}

function whyText({ reason, in_doubt_since, paid_by }: Row): string {
  const sentences = [
    reason,
    in_doubt_since && `In doubt since ${timeText(in_doubt_since)}.`,
    paid_by && `Paid by batch ${paid_by}.`,
  ];
  return sentences.filter((one) => one !== null).join(' ');
}
