import type { z } from 'zod';
import { moneyText } from '../../core/money/money.ts';
import { readBalance } from '../../operations/service/read-balance.ts';
import type { CommandContext } from '../base/command.ts';
import { type Column, printTable } from '../base/table.ts';
import { call } from '../session/call.ts';
import { printRehearsal } from '../session/rehearsal.ts';

type Wallet = z.output<typeof readBalance.result>['wallets'][number];

const columns: readonly Column<Wallet>[] = [
  { name: 'wallet', cell: ({ name }) => name },
  { name: 'balance', align: 'right', cell: ({ currency, balance }) => moneyText(currency, balance) },
  { name: 'status', cell: ({ active }) => (active ? 'active' : 'inactive') },
  { name: 'id', cell: ({ wallet_id }) => wallet_id },
];

/** `airbatch balance`. */
export async function execute(
  context: CommandContext,
  _args: string[],
  { account }: { account?: string },
): Promise<number> {
  const balance = await call(context, readBalance, { account });
  const { total, wallets } = balance;
  printRehearsal(context.terminal, balance.is_rehearsal);
  printTable(context, columns, wallets, { json: balance, none: 'The account has no wallets.' });
  if (context.json) return 0;
  if (total) context.terminal.print(`${moneyText(total.currency, total.value)} in all, as the service adds them up\n`);
  if (wallets.some(({ currency }) => currency === ''))
    context.terminal.print('Version 1 has a balance for each network, and does not name its currency.\n');
  return 0;
}
