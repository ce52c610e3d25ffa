import { moneyText } from '../../core/money/money.ts';
import { balanceJson } from '../base/balance-json.ts';
import type { CommandContext } from '../base/command.ts';
import { printTable } from '../base/table.ts';
import { ask, withCatalog } from './catalog.ts';

const columns = [{ name: 'wallet' }, { name: 'balance', align: 'right' }, { name: 'status' }, { name: 'id' }] as const;

/** `airbatch balance`: what the account has to spend, wallet by wallet. */
export function execute(context: CommandContext, _args: string[], options: Record<string, unknown>): Promise<number> {
  return withCatalog(context, options, async (account) => {
    const { balance } = await ask(account, 'balance', () => account.gateway.balance());
    const lines = balance.wallets.map(({ name, walletId, currency, balance: left, active }) => [
      name,
      moneyText(currency, left),
      active ? 'active' : 'inactive',
      walletId,
    ]);
    printTable(context, columns, lines, {
      json: { account: account.name, service: account.service, ...balanceJson(balance) },
      none: 'The account has no wallets.',
    });
    if (context.json) return 0;
    const { total, wallets } = balance;
    if (total) context.terminal.print(`${moneyText(total.currency, total.value)} in all, as the service counts it\n`);
    if (wallets.some(({ currency }) => currency === '')) {
      context.terminal.print('Version 1 has a balance for each network, and does not name its currency.\n');
    }
    return 0;
  });
}
