import { readAmount } from './amount.ts';
import type { NumberFormat } from './number-format.ts';

/** Words after a number that stand for zeros: "35K" reads as 35000. */
const magnitudes =
  /^(?:k|m|b|t|mn|mln|mio|bn|tsd|mille|lakh|cr|crore|hundred|thousands?|millions?|billions?|elfu|laki|milioni)\b/i;

/**
 * A number of a sheet as an amount: with the currency that its format shows beside it ("UGX 35000"), so that it is
 * read as the same text in a CSV. A number that the format shows as another one comes with the format, which makes it
 * no amount, also in a file of corrections.
 */
export function shownAmount(number: string, format: NumberFormat): string {
  const { kind, code, before, after, hasCurrency } = format;
  if (kind === 'percent') return `${before}${Number((Number(number) * 100).toPrecision(15))}%${after}`;
  if (kind === 'otherwise' || magnitudes.test(after)) return `${number} [${code}]`;
  const space = /[\p{L}.]$/u.test(before) ? ' ' : '';
  const text = `${before}${space}${number}${after}`;
  // Other words beside a number, such as "net", say nothing of how much it is.
  return hasCurrency || readAmount(text).kind !== 'none' ? text : number;
}

/** What a spreadsheet shows of a number instead of the number, and why it is no amount; null for any other text. */
export function notShownPlainly(text: string): { message: string; suggestion: string } | null {
  if (/^[^%\n]{0,40}[0-9] *%/.test(text)) {
    return {
      message: `"${text.slice(0, 40)}" is a percentage, not an amount.`,
      suggestion:
        'Write the amount itself. In a spreadsheet, give the cell a plain number format and check what it shows.',
    };
  }
  const [, number = '', code = ''] = /^(-?[0-9][0-9.]*) \[(.{1,310})\]$/s.exec(text) ?? [];
  if (code === '') return null;
  return {
    message: `The cell holds ${number}, but its number format (${code.slice(0, 40)}) shows something else.`,
    suggestion: 'Give the cell a plain number format in the spreadsheet, and check the amount that it then shows.',
  };
}
