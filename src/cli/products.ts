import { AirbatchError } from '../core/errors.ts';
import { moneyText } from '../reports/format.ts';
import { ask, printTable, withAccount } from './catalog.ts';
import type { CommandContext } from './main.ts';

/** `airbatch products [--network ID]`: the fixed products (bundles) that can be bought. */
export function execute(context: CommandContext, _args: string[], options: Record<string, unknown>): Promise<number> {
  return withAccount(context, options.account as string | undefined, async (account) => {
    const networkId = options.network as number | undefined;
    if (networkId !== undefined && !Number.isSafeInteger(networkId))
      throw new AirbatchError('USAGE', '--network takes the number of a network');
    const { items } = await ask(account, 'catalog', () =>
      account.gateway.products(networkId === undefined ? {} : { networkId }),
    );
    const lines = items.map(({ productId, name, networkName, amount }) => [
      productId,
      name,
      networkName,
      amount ? moneyText(amount.currency, amount.value) : 'any amount',
    ]);
    printTable(context, ['id', 'product', 'network', 'price'], lines, { account: account.name, products: items });
    return 0;
  });
}
