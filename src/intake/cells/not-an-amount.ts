import type { ProblemValues } from '../../core/state/problem-table.ts';
import { shortened } from './problems.ts';

/** "1.5E+03": how a spreadsheet saves a number from a narrow column. */
const shortForm = /^[-+]?[0-9]+(?:[.,][0-9]+)?E[-+]?[0-9]+$/i;

/** The beginnings of month names in the languages whose headers airbatch understands. */
const months =
  'jan|feb|fev|fév|mar|mär|mrz|apr|avr|abr|mai|may|jun|jui|jul|aug|aou|aoû|ago|sep|set|oct|okt|out|nov|dec|déc|dez|dic|ene|des';
const datesInDigits = /^[0-9]{1,4}([-/.])[0-9]{1,2}(?:\1[0-9]{1,4}(?:[ T].*)?)?$/;
const datesInWords = new RegExp(
  String.raw`^(?:[0-9]{1,2}[ ./-]*)?(?:${months})\p{L}*\.?(?:[ ,./-]*[0-9]{1,4}){0,2}$`,
  'iu',
);

/** "1?500,00": a narrow space between thousands, which French spreadsheets write, in an encoding that has none. */
const lostSpace = /^[-+]?[0-9]{1,3}(?:[?\uFFFD][0-9]{3})+(?:[.,][0-9]+)?$/;

/** What a text in an amount column is instead of a number. */
export function whyNoAmount(text: string): { message: string; suggestion: string; values: ProblemValues } {
  const written = `"${shortened(text)}"`;
  if (shortForm.test(text))
    return {
      values: { why: 'shortened' },
      message: `${written} is a number as a spreadsheet shortens it: digits may be lost.`,
      suggestion: 'Make the column wider, give it a number format without an exponent, and save the file again.',
    };
  if (datesInDigits.test(text) || datesInWords.test(text))
    return {
      values: { why: 'date' },
      message: `${written} is a date, not an amount: a spreadsheet may have changed a number such as 5.11 into it.`,
      suggestion: 'Check that it is in the right column, and write the amount from its source, such as 1250.50.',
    };
  if (lostSpace.test(text))
    return {
      values: { why: 'space' },
      message: `${written} has a character that was lost when the file was saved: it may have been a space between thousands.`,
      suggestion: 'Save the file again as "CSV UTF-8", or write the amount without a space, such as 1500.00.',
    };
  return {
    values: { why: 'text' },
    message: `${written} is not an amount.`,
    suggestion: 'Write the amount with digits and a decimal point, such as 1250.50.',
  };
}
