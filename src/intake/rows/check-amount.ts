import { compareAmounts, type Money, moneyText } from '../../core/money/money.ts';
import type { ProblemCode, ProblemValues } from '../../core/state/problem-table.ts';
import { currencyWritten, decimalPlaces, decimalsOf, metCurrency, readAmount } from '../cells/amount.ts';
import { cfaFranc, cfaFrancOf, isCalledCfaFranc } from '../cells/cfa-franc.ts';
import { countryName } from '../cells/country.ts';
import { isWrittenWith, signOfSeveral } from '../cells/currency-sign.ts';
import { whyNoAmount } from '../cells/not-an-amount.ts';
import { plainText } from '../cells/plain-text.ts';
import { shortened } from '../cells/problems.ts';
import { notShownPlainly } from '../cells/shown-amount.ts';
import { readValue } from './read-value.ts';
import type { RowUnderCheck } from './row-under-check.ts';

/**
 * No top-up has this many digits before its decimal point. Such an amount is a typing error, or comes from another
 * column.
 */
const wholeDigitsMax = 11;

/**
 * The amount and currency of a row, or null if they are missing or wrong. `networkCurrency` is the currency of its
 * network and `country` that of its number; each is null if it is not known.
 */
export function readMoney(
  row: RowUnderCheck,
  hasProduct: boolean,
  networkCurrency: string | null,
  country: string | null,
): Money | null {
  const cell = row.cell.amount;
  const namesProduct = plainText(row.cell.product_id) !== '';
  if (plainText(cell) === '') {
    if (!hasProduct && !namesProduct) {
      row.blame(row.context.plan.amount === undefined ? null : 'amount', {
        code: 'NOTHING_TO_PAY',
        message: 'The row has neither an amount nor a product.',
        suggestion: 'Fill in the amount (with its currency), or a product.',
      });
    }
    return null;
  }
  if (namesProduct) {
    row.blame('amount', {
      code: 'AMOUNT_AND_PRODUCT',
      message: 'The row has both an amount and a product, and can have only one of them.',
      suggestion: 'Leave one of the two cells empty.',
    });
  }
  const reading = readAmount(cell);
  if (reading.kind === 'none') {
    const text = plainText(cell);
    const unread = notShownPlainly(text);
    row.blame('amount', { code: 'AMOUNT_NOT_A_NUMBER', ...(unread ?? whyNoAmount(text)) });
    if (unread !== null) return null;
    readCurrency(row, null, networkCurrency, country);
    return null;
  }
  const currency = readCurrency(row, reading.currency, networkCurrency, country);
  const value = readValue(row, reading, currency);
  if (value === null) return null;
  return checkValue(row, value, reading.negative, currency);
}

function readCurrency(
  row: RowUnderCheck,
  inCell: string | null,
  networkCurrency: string | null,
  country: string | null,
): string | null {
  const { settings, plan, amountCurrency } = row.context;
  const { currency: cell } = row.cell;
  const written = metCurrency(cell) ?? currencyWritten(cell);
  if (written !== '' && decimalsOf(written) === null) {
    row.blame('currency', {
      code: 'CURRENCY_UNKNOWN',
      ...(written === cfaFranc
        ? cfaFault(cell, networkCurrency, country)
        : {
            message: `"${shortened(cell.trim())}" is not a currency code.`,
            suggestion: `Write the three-letter code, such as ${exampleOf(networkCurrency, country)}.`,
            values: { why: 'none', example: exampleOf(networkCurrency, country) },
          }),
    });
    return null;
  }
  const own = written === '' ? codeOf(inCell) : written;
  const currency = own ?? settings.currency ?? codeOf(amountCurrency);
  if (currency === null) {
    const example = exampleOf(networkCurrency, country);
    row.blame(plan.currency === undefined ? null : 'currency', {
      code: 'CURRENCY_MISSING',
      ...(inCell === cfaFranc || amountCurrency === cfaFranc
        ? cfaFault(cfaFranc, networkCurrency, country)
        : {
            message: 'The amount has no currency.',
            values: { why: 'none', example },
            suggestion: `Fill in the three-letter code, such as ${example}, or name the currency of all such amounts: --currency ${example}.`,
          }),
    });
    return null;
  }
  const conflict = conflictOf(row, currency, own, inCell);
  if (conflict !== null) {
    row.blame(conflict.field, { code: 'CURRENCY_CONFLICT', ...conflict.fault });
    return null;
  }
  if (networkCurrency !== null && networkCurrency !== currency) {
    row.blame(plan.currency === undefined ? null : 'currency', {
      code: 'CURRENCY_OF_OTHER_COUNTRY',
      values: { network_currency: networkCurrency, currency },
      message: `The network is paid in ${networkCurrency}, but the amount is in ${currency}.`,
      suggestion: `Give the amount in ${networkCurrency}.`,
    });
  }
  return currency;
}

/**
 * What in a row contradicts a currency. `own` is the currency in the row's cells, null if the row leaves it to the
 * file.
 */
function conflictOf(
  { cell, context: { plan, header, amountCurrency, amountSign } }: RowUnderCheck,
  currency: string,
  own: string | null,
  inCell: string | null,
): { field: 'amount' | 'currency'; fault: { message: string; suggestion: string; values: ProblemValues } } | null {
  if (!mayBeCalled(currency, inCell)) {
    const message = `The currency is ${currency}, but the amount is written in ${inCell}.`;
    const field = plan.currency === undefined ? 'amount' : 'currency';
    const values = { currency, written: inCell ?? '' };
    return { field, fault: { message, suggestion: 'Correct the currency or the amount.', values } };
  }
  const sign = signOfSeveral(cell.amount);
  if (sign !== null && !isWrittenWith(currency, sign)) {
    const message = `The currency is ${currency}, but the amount is written with ${sign}.`;
    const suggestion = `Correct the currency or the amount; if ${currency} is meant, write the amount without ${sign}.`;
    return { field: 'amount', fault: { message, suggestion, values: { currency, written: sign } } };
  }
  if (mayBeCalled(currency, amountCurrency) && (amountSign === null || isWrittenWith(currency, amountSign)))
    return null;
  const name = shortened(header[plan.amount ?? -1]?.trim() ?? '');
  const message = `The currency is ${currency}, but the amount column is named "${name}".`;
  const other = own === null ? 'the currency given for the file (--currency, or intake.currency)' : 'the currency';
  const suggestion = `Correct the column name, or ${other}.`;
  return { field: 'amount', fault: { message, suggestion, values: { currency, written: name } } };
}

/** The currency code next to an amount, or null if there is none. */
function codeOf(currency: string | null): string | null {
  return currency === cfaFranc ? null : currency;
}

/**
 * Whether an amount in a currency may be written with this name: its code, or `cfaFranc`. Without a name (null), it
 * may.
 */
function mayBeCalled(currency: string, said: string | null): boolean {
  return said === null || said === currency || (said === cfaFranc && isCalledCfaFranc(currency));
}

/**
 * The currency to suggest if the row's currency is wrong: the network's, else the CFA franc of the country, else an
 * arbitrary example.
 */
function exampleOf(networkCurrency: string | null, country: string | null): string {
  return networkCurrency ?? cfaFrancOf(country ?? '') ?? 'KES';
}

/**
 * What is wrong with an amount in CFA francs. The network, or the country of the number, shows which of the two is
 * meant.
 */
function cfaFault(
  written: string,
  networkCurrency: string | null,
  country: string | null,
): { message: string; suggestion: string; values: ProblemValues } {
  const example = exampleOf(networkCurrency, country);
  const values = { why: 'franc', example: isCalledCfaFranc(example) ? example : '' };
  const message = `"${shortened(written.trim())}" can be XOF (West Africa) or XAF (Central Africa).`;
  if (networkCurrency !== null) {
    const what = isCalledCfaFranc(networkCurrency)
      ? `Write ${networkCurrency}`
      : `Give the amount in ${networkCurrency}`;
    return { message, suggestion: `${what}, in which the network is paid.`, values };
  }
  const likely = cfaFrancOf(country ?? '');
  const suggestion =
    likely === null
      ? 'Write the code of the right currency.'
      : `Write ${likely}, the CFA franc of ${countryName(country ?? '')}.`;
  return { message, suggestion, values };
}

function checkValue(row: RowUnderCheck, value: string, negative: boolean, currency: string | null): Money | null {
  if (negative || value === '0') {
    return blameAmount(
      row,
      'AMOUNT_NOT_POSITIVE',
      'The amount must be more than zero.',
      'Correct the amount, or remove the row.',
    );
  }
  const point = value.indexOf('.');
  if ((point < 0 ? value.length : point) > wholeDigitsMax) {
    return blameAmount(
      row,
      'AMOUNT_TOO_LARGE',
      'The amount is larger than any top-up.',
      'Check that it is in the right column.',
      { why: 'any' },
    );
  }
  if (currency === null) return null;
  const decimals = decimalsOf(currency) ?? 0;
  if (decimalPlaces(value) > decimals) {
    const has = decimals === 0 ? 'no decimals' : `${decimals} decimals`;
    return blameAmount(
      row,
      'AMOUNT_DECIMALS',
      `${value} has more decimals than ${currency}, which has ${has}.`,
      'Round the amount.',
      { currency, decimals: String(decimals) },
    );
  }
  const { amountMin, amountMax } = row.context.settings.guards;
  const least = amountMin[currency];
  const greatest = amountMax[currency];
  if (least !== undefined && compareAmounts(value, least) < 0) {
    return blameAmount(
      row,
      'AMOUNT_TOO_SMALL',
      `The amount is below the minimum of ${moneyText(currency, least)} for one row.`,
      'Raise the amount, or change intake.guards.amountMin.',
      { amount: least, currency },
    );
  }
  if (greatest !== undefined && compareAmounts(value, greatest) > 0) {
    return blameAmount(
      row,
      'AMOUNT_TOO_LARGE',
      `The amount is above the maximum of ${moneyText(currency, greatest)} for one row.`,
      'Lower the amount, or change intake.guards.amountMax.',
      { why: 'limit', amount: greatest, currency },
    );
  }
  return { value, currency };
}

function blameAmount(
  row: RowUnderCheck,
  code: ProblemCode,
  message: string,
  suggestion: string,
  values: ProblemValues = {},
): null {
  row.blame('amount', { code, message, suggestion, values });
  return null;
}
