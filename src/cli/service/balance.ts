import { moneyText } from '../../core/money/money.ts';
import { readBalance } from '../../operations/service/read-balance.ts';
import type { CommandContext } from '../base/command.ts';
import { printTable } from '../base/table.ts';
import { call } from '../session/call.ts';
import { printRehearsal } from '../session/rehearsal.ts';

const columns = [{ name: 'wallet' }, { name: 'balance', align: 'right' }, { name: 'status' }, { name: 'id' }] as const;

/** `airbatch balance`. */
export async function execute(
  context: CommandContext,
  _args: string[],
  { account }: { account?: string },
): Promise<number> {
  const balance = await call(context, readBalance, { account });
  const { total, wallets } = balance;
  printRehearsal(context.terminal, balance.is_rehearsal);
  const lines = wallets.map(({ name, wallet_id, currency, balance: left, active }) => [
    name,
    moneyText(currency, left),
    active ? 'active' : 'inactive',
    wallet_id,
  ]);
  printTable(context, columns, lines, { json: balance, none: 'The account has no wallets.' });
  if (context.json) return 0;
  if (total) context.terminal.print(`${moneyText(total.currency, total.value)} in all, as the service adds them up\n`);
  if (wallets.some(({ currency }) => currency === ''))
    context.terminal.print('Version 1 has a balance for each network, and does not name its currency.\n');
  return 0;
}
