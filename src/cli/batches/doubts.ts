import type { z } from 'zod';
import { listDoubts } from '../../operations/rows/list-doubts.ts';
import { requestedText, timeText } from '../../reports/sentences/format.ts';
import { counted } from '../../reports/text/counted-text.ts';
import type { CommandContext } from '../base/command.ts';
import { type Column, printTable } from '../base/table.ts';
import { call } from '../session/call.ts';
import { askedText } from '../text/asked-text.ts';

type Doubt = z.output<typeof listDoubts.result>['doubts'][number];

/** The most that the operation lists at once: the oldest. */
const limit = 500;

const columns: readonly Column<Doubt>[] = [
  { name: 'since', cell: ({ since }) => since && timeText(since) },
  { name: 'batch', cell: ({ batch_id }) => batch_id },
  { name: 'row', align: 'right', cell: ({ row }) => String(row) },
  { name: 'name', cell: ({ person }) => person },
  { name: 'amount', align: 'right', cell: askedText },
  { name: 'owner', cell: ({ owner }) => owner ?? 'nobody' },
  { name: 'looked up next', cell: ({ next }) => (next === null ? 'never: a person decides' : timeText(next)) },
  { name: 'why', widthMax: 50, cell: ({ why }) => why },
];

/** `airbatch doubts`: the rows in doubt of all batches, the oldest first, with the people who take care of them. */
export async function execute(
  context: CommandContext,
  _: string[],
  { account, batch, owner, nobody = false }: { account?: string; batch?: string; owner?: string; nobody?: boolean },
): Promise<number> {
  const listed = await call(context, listDoubts, {
    ...{ account, batch_id: batch, limit },
    owner: nobody ? '' : owner,
  });
  printTable(context, columns, listed.doubts, { json: listed, none: 'No row is in doubt.' });
  if (listed.count === 0 || context.json) return 0;
  const { count, sums, products, next } = listed;
  const shown = next === null ? '' : ` The ${listed.doubts.length} oldest are shown.`;
  context.terminal.print(`In doubt: ${counted(count, 'row')} for ${requestedText(sums, products)}.${shown}\n`);
  return 0;
}
