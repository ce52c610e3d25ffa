import type { z } from 'zod';
import { rowStateTexts } from '../../core/state/state-texts.ts';
import { lookUpRows } from '../../operations/rows/look-up-rows.ts';
import type { CommandContext } from '../base/command.ts';
import { rowNumbers } from '../base/row-numbers.ts';
import { type Column, printTable } from '../base/table.ts';
import { call } from '../session/call.ts';

type LookedUp = z.output<typeof lookUpRows.result>['rows'][number];

const outcomes: Record<LookedUp['outcome'], string> = {
  adopted: 'the payment',
  found: 'a failed payment of a refused attempt',
  halted: 'another payment, or several: the account is paused',
  not_found: 'nothing',
  unanswered: 'no answer',
  changed: 'another program has changed the row',
};

const columns: readonly Column<LookedUp>[] = [
  { name: 'row', align: 'right', cell: ({ row }) => String(row) },
  { name: 'found', cell: ({ outcome }) => outcomes[outcome] },
  { name: 'status', cell: ({ status }) => rowStateTexts[status].label },
  { name: 'service', cell: ({ service_status }) => service_status },
  { name: 'answer', widthMax: 60, cell: ({ answer: { code, message } }) => [code, message].filter(Boolean).join(': ') },
];

/** `airbatch look-up BATCH [ROW...]`: asks the service now about rows in doubt. */
export async function execute(context: CommandContext, [batch_id = '', ...given]: string[]): Promise<number> {
  const rows: LookedUp[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: z.output<typeof lookUpRows.result> = await call(context, lookUpRows, {
      ...{ batch_id, rows: rowNumbers(given), after },
    });
    rows.push(...page.rows);
    after = page.next;
  }
  const none = 'No row of this batch is in doubt.';
  printTable(context, columns, rows, { json: { batch_id, rows }, none });
  return rows.some(({ status }) => status === 'in_doubt') ? 5 : 0;
}
