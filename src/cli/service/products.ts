import type { z } from 'zod';
import { moneyText } from '../../core/money/money.ts';
import { listProducts } from '../../operations/service/list-products.ts';
import type { CommandContext } from '../base/command.ts';
import { type Column, printTable } from '../base/table.ts';
import { wholeNumber } from '../base/whole-number.ts';
import { call } from '../session/call.ts';
import { printRehearsal } from '../session/rehearsal.ts';

type Product = z.output<typeof listProducts.result>['products'][number];

const columns: readonly Column<Product>[] = [
  { name: 'id', align: 'right', cell: ({ product_id }) => product_id },
  { name: 'product', cell: ({ name }) => name },
  { name: 'network', cell: ({ network_name }) => network_name },
  {
    ...{ name: 'price', align: 'right' },
    cell: ({ amount }) => (amount ? moneyText(amount.currency, amount.value) : 'any amount'),
  },
];

/** `airbatch products [--network ID]`. */
export async function execute(
  context: CommandContext,
  _args: string[],
  { account, network }: { account?: string; network?: string },
): Promise<number> {
  const network_id = wholeNumber('--network', network);
  const found = await call(context, listProducts, { account, network_id });
  printRehearsal(context.terminal, found.is_rehearsal);
  printTable(context, columns, found.products, {
    json: found,
    none:
      network_id === undefined
        ? 'The service lists no products.'
        : `The service lists no products of network ${network_id}.`,
  });
  return 0;
}
