import { moneyText } from '../../core/money/money.ts';
import { listProducts } from '../../operations/service/list-products.ts';
import type { CommandContext } from '../base/command.ts';
import { printTable } from '../base/table.ts';
import { wholeNumber } from '../base/whole-number.ts';
import { call } from '../session/call.ts';
import { printRehearsal } from '../session/rehearsal.ts';

const columns = [
  { name: 'id', align: 'right' },
  { name: 'product' },
  { name: 'network' },
  { name: 'price', align: 'right' },
] as const;

/** `airbatch products [--network ID]`. */
export async function execute(
  context: CommandContext,
  _args: string[],
  { account, network }: { account?: string; network?: string },
): Promise<number> {
  const network_id = wholeNumber('--network', network);
  const found = await call(context, listProducts, { account, network_id });
  printRehearsal(context.terminal, found.is_rehearsal);
  const lines = found.products.map(({ product_id, name, network_name, amount }) => [
    product_id,
    name,
    network_name,
    amount ? moneyText(amount.currency, amount.value) : 'any amount',
  ]);
  printTable(context, columns, lines, {
    json: found,
    none:
      network_id === undefined
        ? 'The service lists no products.'
        : `The service lists no products of network ${network_id}.`,
  });
  return 0;
}
