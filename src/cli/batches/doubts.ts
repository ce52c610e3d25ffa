import type { z } from 'zod';
import { listDoubts } from '../../operations/rows/list-doubts.ts';
import { requestedText, sumsText, timeText } from '../../reports/sentences/format.ts';
import { counted } from '../../reports/text/counted-text.ts';
import type { CommandContext } from '../base/command.ts';
import { printTable, type TableColumn } from '../base/table.ts';
import { call } from '../session/call.ts';

type Listed = z.output<typeof listDoubts.result>;

/** The most that the operation lists at once: the oldest. */
const limit = 500;

const columns: readonly TableColumn[] = [
  { name: 'since' },
  { name: 'batch' },
  { name: 'row', align: 'right' },
  { name: 'name' },
  { name: 'amount', align: 'right' },
  { name: 'owner' },
  { name: 'looked up next' },
  { name: 'why', widthMax: 50 },
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
  printTable(context, columns, listed.doubts.map(cells), { json: listed, none: 'No row is in doubt.' });
  if (listed.count === 0 || context.json) return 0;
  const { count, sums, products, next } = listed;
  const shown = next === null ? '' : ` The ${listed.doubts.length} oldest are shown.`;
  context.terminal.print(`In doubt: ${counted(count, 'row')} for ${requestedText(sums, products)}.${shown}\n`);
  return 0;
}

function cells({ since, batch_id, row, person, ...doubt }: Listed['doubts'][number]): string[] {
  const { amount, currency, product_id, owner, next, why } = doubt;
  return [
    since === null ? '' : timeText(since),
    batch_id,
    String(row),
    person ?? '',
    amount === null ? (product_id ?? '') : sumsText({ [currency ?? '']: amount }),
    owner ?? 'nobody',
    next === null ? 'never: a person decides' : timeText(next),
    why ?? '',
  ];
}
