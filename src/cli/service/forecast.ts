import type { z } from 'zod';
import { moneyText } from '../../core/money/money.ts';
import { forecastMoney } from '../../operations/service/forecast-money.ts';
import { sumsText, timeText } from '../../reports/sentences/format.ts';
import { counted } from '../../reports/text/counted-text.ts';
import type { CommandContext } from '../base/command.ts';
import { type Column, printTable } from '../base/table.ts';
import { call } from '../session/call.ts';

type Forecast = z.output<typeof forecastMoney.result>['currencies'][number];

const columns: readonly Column<Forecast>[] = [
  { name: 'balance', align: 'right', cell: ({ currency, balance }) => moneyText(currency, balance) },
  { name: 'being sent', align: 'right', cell: ({ currency, queued }) => moneyText(currency, queued) },
  { name: 'paused or to approve', align: 'right', cell: ({ currency, waiting }) => moneyText(currency, waiting) },
  { name: 'missing', align: 'right', cell: ({ currency, missing }) => missing && moneyText(currency, missing) },
  { name: 'spent in 30 days', align: 'right', cell: ({ currency, spent }) => moneyText(currency, spent) },
  { name: 'lasts', cell: lastsText },
];

/** `airbatch forecast`: when the wallets of the account will be empty. */
export async function execute(
  context: CommandContext,
  _args: string[],
  { account }: { account?: string },
): Promise<number> {
  const found = await call(context, forecastMoney, { account });
  const { currencies, unknown, products } = found;
  printTable(context, columns, currencies, { json: found, none: 'The account has no wallets.' });
  if (context.json) return 0;
  if (Object.keys(unknown).length > 0)
    context.terminal.print(`Not counted: ${sumsText(unknown)}; the account has not paid in these currencies lately\n`);
  if (products > 0) context.terminal.print(`Not counted: ${counted(products, 'row')} that buy products\n`);
  return 0;
}

function lastsText({ runs_out_by: by, runs_out_at: at }: Forecast): string {
  if (by === null) return 'longer than a year';
  if (at === null) return 'not for all rows that are being sent';
  return by === 'queue' ? `until ${timeText(at)}, by the rows being sent` : `until ${timeText(at)}, if payouts repeat`;
}
