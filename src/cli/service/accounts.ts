import type { z } from 'zod';
import { moneyText } from '../../core/money/money.ts';
import { listAccounts } from '../../operations/service/list-accounts.ts';
import { timeText } from '../../reports/sentences/format.ts';
import type { CommandContext } from '../base/command.ts';
import { printTable } from '../base/table.ts';
import { call } from '../session/call.ts';

type Account = z.output<typeof listAccounts.result>['accounts'][number];

const columns = [
  { name: 'account' },
  { name: 'version' },
  { name: 'service', breaksInWords: true },
  { name: 'may send' },
  { name: 'balance', widthMax: 40 },
  { name: 'read' },
] as const;

/** `airbatch accounts`. */
export async function execute(context: CommandContext): Promise<number> {
  const found = await call(context, listAccounts, {});
  const lines = found.accounts.map((one) => [
    one.account,
    one.version,
    one.service,
    gateText(one.gate),
    one.balance?.wallets
      .map(({ name, currency, balance }) => (currency === '' ? `${name} ${balance}` : moneyText(currency, balance)))
      .join('; ') ?? 'not known',
    one.balance === null ? '' : timeText(one.balance.read_at),
  ]);
  printTable(context, columns, lines, { json: found, none: 'No accounts.' });
  return 0;
}

const reasonTexts: Record<NonNullable<Account['gate']['why']>, string> = {
  ledger_unusable: 'the ledger cannot be used',
  no_lease: 'no airbatch program is running for it',
  service_mismatch: 'the service answered about a different payment',
  credentials_rejected: 'the service refuses its credentials',
  insufficient_balance: 'its balance is too low',
  throttled: 'the service throttles it',
  unreachable: 'the service does not answer',
};

function gateText({ why, until }: Account['gate']): string {
  if (why === null) return 'yes';
  return `no: ${reasonTexts[why]}${until === null ? '' : `, until ${timeText(until)}`}`;
}
