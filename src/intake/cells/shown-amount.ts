import type { ProblemValues } from '../../core/state/problem-table.ts';
import { readAmount } from './amount.ts';
import type { NumberFormat } from './number-format.ts';

/** Words after a number that mean thousands or more: "35K" means 35000. */
const magnitudes =
  /^(?:k|m|b|t|mn|mln|mio|bn|tsd|mille|lakh|cr|crore|hundred|thousands?|millions?|billions?|elfu|laki|milioni)\b/i;

/** A currency by its sign or its name, also one that `readAmount` cannot tell from others: "US$", "Naira", "K". */
const currencyNames =
  /\p{Sc}|\b(?:shs?|shillings?|naira|dollars?|francs?|frw|zk|k|kwacha|cedis?|rands?|birr|pounds?|euros?|pula|dalasi|leones?)\b/iu;

/**
 * A number of a sheet as the text of an amount: with the currency that its format shows ("UGX 35000"), so that it is
 * read as in a CSV. If the format shows another number, the text includes the format, so that it is refused, also in a
 * corrected file.
 */
export function shownAmount(number: string, format: NumberFormat): string {
  const { kind, code, before, after, hasCurrency } = format;
  if (kind === 'percent') return `${before}${Number((Number(number) * 100).toPrecision(15))}%${after}`;
  if (kind === 'otherwise' || magnitudes.test(after)) return `${number} [${code}]`;
  const space = /[\p{L}.]$/u.test(before) ? ' ' : '';
  const text = `${before}${space}${number}${after}`;
  // Other words next to a number, such as "net", do not change its value.
  const isShown = hasCurrency || currencyNames.test(before + after) || /[%‰]/.test(before + after);
  return isShown || readAmount(text).kind !== 'none' ? text : number;
}

/** Why a text that names a number format is not an amount; null for any other text. */
export function notShownPlainly(text: string): { message: string; suggestion: string; values: ProblemValues } | null {
  if (/^[^%\n]{0,40}[0-9] *%/.test(text)) {
    return {
      values: { why: 'percent' },
      message: `"${text.slice(0, 40)}" is a percentage, not an amount.`,
      suggestion:
        'Write the amount itself. In a spreadsheet, give the cell a plain number format and check what it shows.',
    };
  }
  const [, number = '', code = ''] = /^(-?[0-9][0-9.]*) \[(.{1,310})\]$/s.exec(text) ?? [];
  if (code === '') return null;
  return {
    values: { why: 'format' },
    message: `The cell holds ${number}, but its number format (${code.slice(0, 40)}) shows something else.`,
    suggestion: 'Give the cell a plain number format in the spreadsheet, and check the amount that it then shows.',
  };
}
