import { moneyText } from '../../core/money/money.ts';
import type { Product } from '../../gateway/contract/gateway.ts';
import { durationText } from '../../reports/sentences/format.ts';
import type { CommandContext } from '../base/command.ts';
import { printTable } from '../base/table.ts';
import { wholeNumber } from '../base/whole-number.ts';
import { askProducts, withCatalog } from './catalog.ts';

const columns = [
  { name: 'id', align: 'right' },
  { name: 'product' },
  { name: 'network' },
  { name: 'price', align: 'right' },
] as const;

/**
 * `airbatch products [--network ID]`: what can be bought: bundles at a fixed price, and at Version 1 plain airtime
 * too.
 */
export function execute(context: CommandContext, _args: string[], options: Record<string, unknown>): Promise<number> {
  const networkId = wholeNumber('--network', options.network as string | undefined);
  return withCatalog(context, options, async (account) => {
    const items = await askProducts(account, networkId, (networks, ms) => {
      context.terminal.error(
        `Version 1 lists products by network: asking for those of ${networks}, about ${durationText(ms)} (--network asks for one).\n`,
      );
    });
    const lines = items.map(({ productId, name, networkName, amount }) => [
      productId,
      name,
      networkName,
      amount ? moneyText(amount.currency, amount.value) : 'any amount',
    ]);
    printTable(context, columns, lines, {
      json: { account: account.name, products: items.map(productJson) },
      none:
        networkId === undefined
          ? 'The service lists no products.'
          : `The service lists no products of network ${networkId}.`,
    });
    return 0;
  });
}

function productJson({ productId, name, networkId, networkName, amount }: Product) {
  return { product_id: productId, name, network_id: networkId, network_name: networkName, amount };
}
