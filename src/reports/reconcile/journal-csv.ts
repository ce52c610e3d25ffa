import Big from 'big.js';
import { currencyDecimals } from '../../core/money/money.ts';
import { counted } from '../text/counted-text.ts';
import { csvText } from '../text/csv.ts';
import type { JournalEntry } from './journal.ts';

/**
 * `plain`: exact amounts and all columns. `quickbooks`, `xero`: the columns that these programs import, with amounts
 * rounded to the decimals of the currency.
 */
export const journalFormats = ['plain', 'quickbooks', 'xero'] as const;
export type JournalFormat = (typeof journalFormats)[number];

/** The accounts of the accounting program. */
export interface JournalAccounts {
  expense: string;
  /** Of the wallets, by their currency. */
  wallets: Readonly<Record<string, string>>;
}

interface Line {
  entry: JournalEntry;
  /** The number of the entry within its day. */
  no: string;
  account: string;
  /** Positive: a debit. */
  amount: string;
}

/** Each entry as two lines, a debit and a credit of the same amount. */
export function journalCsv(
  entries: readonly JournalEntry[],
  format: JournalFormat,
  accounts: JournalAccounts,
  runOf: (batchId: string) => string,
): string {
  const amounts = format === 'plain' ? entries.map(({ amount }) => amount) : roundedAmounts(entries);
  let [day, count] = ['', 0];
  const lines = entries.flatMap((entry, index): Line[] => {
    [day, count] = entry.date === day ? [day, count + 1] : [entry.date, 1];
    const no = `${entry.date.replaceAll('-', '')}-${count}`;
    const amount = amounts[index] ?? '0';
    const wallet = accounts.wallets[entry.currency] ?? `Airtime wallet ${entry.currency}`;
    const both = [
      { entry, no, account: accounts.expense, amount },
      { entry, no, account: wallet, amount: opposite(amount) },
    ];
    return new Big(amount).eq(0) ? [] : both;
  });
  const { header, cells } = columns[format];
  return csvText([[...header], ...lines.map((line) => cells(line, runOf))]);
}

/** Rounds the running total of each currency, so that the rounded amounts add up to the rounded total. */
function roundedAmounts(entries: readonly JournalEntry[]): string[] {
  const totals = new Map<string, { exact: Big; rounded: Big }>();
  return entries.map(({ currency, amount }) => {
    const before = totals.get(currency) ?? { exact: new Big(0), rounded: new Big(0) };
    const exact = before.exact.plus(amount);
    const decimals = currencyDecimals(currency) ?? 2;
    const rounded = exact.round(decimals, Big.roundHalfEven);
    totals.set(currency, { exact, rounded });
    return rounded.minus(before.rounded).toFixed(decimals);
  });
}

const meanings: Record<JournalEntry['kind'], string> = {
  sent: 'Airtime sent',
  sent_before: 'Airtime, earlier attempts',
  refund: 'Airtime refunded',
  late: 'Airtime, charged late',
};

function descriptionOf({ kind, payments, batch_id }: JournalEntry, runOf: (batchId: string) => string): string {
  const many = payments === 0 ? '' : `, ${counted(payments, 'payment')}`;
  return `${meanings[kind]}: ${runOf(batch_id)}${many} (batch ${batch_id})`;
}

const columns: Record<
  JournalFormat,
  {
    header: readonly string[];
    cells: (line: Line, runOf: (batchId: string) => string) => (string | number | null)[];
  }
> = {
  plain: {
    header: [
      ...['date', 'journal_no', 'account', 'debit', 'credit', 'currency'],
      ...['description', 'kind', 'batch_id', 'run_id', 'payments'],
    ],
    cells: ({ entry, no, account, amount }, runOf) => [
      ...[entry.date, no, account, debitOf(amount), creditOf(amount), entry.currency],
      ...[descriptionOf(entry, runOf), entry.kind, entry.batch_id, runOf(entry.batch_id), entry.payments],
    ],
  },
  quickbooks: {
    header: ['JournalNo', 'JournalDate', 'AccountName', 'Debits', 'Credits', 'Description', 'Currency'],
    cells: ({ entry, no, account, amount }, runOf) => {
      const [year, month, day] = entry.date.split('-');
      const description = descriptionOf(entry, runOf);
      return [no, `${month}/${day}/${year}`, account, debitOf(amount), creditOf(amount), description, entry.currency];
    },
  },
  // Lines with one narration and date are one journal; amounts above 0 are debits.
  xero: {
    header: ['*Narration', '*Date', 'Description', '*AccountCode', '*TaxRate', '*Amount'],
    cells: ({ entry, no, account, amount }, runOf) => [
      `airbatch ${no} ${entry.currency}`,
      entry.date.split('-').toReversed().join('/'),
      // A number: a text that begins with a sign gets an apostrophe, so that no spreadsheet runs it as a formula.
      ...[descriptionOf(entry, runOf), account, 'Tax Exempt', Number(amount)],
    ],
  },
};

function opposite(amount: string): string {
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`;
}

function debitOf(amount: string): string {
  return amount.startsWith('-') ? '' : amount;
}

function creditOf(amount: string): string {
  return amount.startsWith('-') ? amount.slice(1) : '';
}
