import type { z } from 'zod';
import { moneyText } from '../../core/money/money.ts';
import { listAccounts } from '../../operations/service/list-accounts.ts';
import { timeText } from '../../reports/sentences/format.ts';
import type { CommandContext } from '../base/command.ts';
import { type Column, printTable } from '../base/table.ts';
import { call } from '../session/call.ts';

type Account = z.output<typeof listAccounts.result>['accounts'][number];

const columns: readonly Column<Account>[] = [
  { name: 'account', cell: ({ account }) => account },
  { name: 'version', cell: ({ version }) => version },
  { name: 'service', breaksInWords: true, cell: ({ service }) => service },
  { name: 'may send', cell: ({ gate }) => gateText(gate) },
  { name: 'balance', widthMax: 40, cell: ({ balance }) => (balance === null ? 'not known' : walletsText(balance)) },
  { name: 'read', cell: ({ balance }) => balance && timeText(balance.read_at) },
];

/** `airbatch accounts`. */
export async function execute(context: CommandContext): Promise<number> {
  const found = await call(context, listAccounts, {});
  printTable(context, columns, found.accounts, { json: found, none: 'No accounts.' });
  return 0;
}

function walletsText({ wallets }: NonNullable<Account['balance']>): string {
  return wallets
    .map(({ name, currency, balance }) => (currency === '' ? `${name} ${balance}` : moneyText(currency, balance)))
    .join('; ');
}

const reasonTexts: Record<NonNullable<Account['gate']['why']>, string> = {
  ledger_unusable: 'the ledger cannot be used',
  no_lease: 'no airbatch program is running for it',
  service_mismatch: 'the service answered about a different payment',
  credentials_rejected: 'the service refuses its credentials',
  insufficient_balance: 'its balance is too low',
  throttled: 'the service makes it wait',
  unreachable: 'the service does not answer',
};

function gateText({ why, until }: Account['gate']): string {
  if (why === null) return 'yes';
  return `no: ${reasonTexts[why]}${until === null ? '' : `, until ${timeText(until)}`}`;
}
