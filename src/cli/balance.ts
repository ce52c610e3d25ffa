import { moneyText } from '../reports/format.ts';
import { ask, printTable, withAccount } from './catalog.ts';
import type { CommandContext } from './main.ts';

/** `airbatch balance`: what the account has to spend, wallet by wallet. */
export function execute(context: CommandContext, _args: string[], options: Record<string, unknown>): Promise<number> {
  return withAccount(context, options.account as string | undefined, async (account) => {
    const { balance } = await ask(account, 'balance', () => account.gateway.balance());
    const lines = balance.wallets.map(({ name, walletId, currency, balance: left, active }) => [
      name,
      moneyText(currency, left),
      active ? 'active' : 'inactive',
      walletId,
    ]);
    printTable(context, ['wallet', 'balance', 'status', 'id'], lines, {
      account: account.name,
      service: account.service,
      ...balance,
    });
    if (!context.json && balance.total)
      context.terminal.print(
        `${moneyText(balance.total.currency, balance.total.value)} in all, as the service counts it\n`,
      );
    return 0;
  });
}
