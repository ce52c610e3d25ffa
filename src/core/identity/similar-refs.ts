import { withoutIgnorable } from '../text/ignorable.ts';
import { isContentRowRef } from './ids.ts';

/** A number as a spreadsheet shows and saves it in a narrow column: its digits are lost. */
const shortForm = /^[0-9](?:[.,][0-9]+)?E\+[0-9]{2,}$/i;

const numberForm = /^\+?0*([0-9]+?)(?:[.,]([0-9]*?)0*)?$/;

/** Spreadsheets keep this many digits of a number, and replace the others by zeros. */
const digitsKept = 15;

/**
 * Whether two row refs certainly mean two different rows of a run. A ref that was derived from the row's content proves
 * nothing. Neither do two refs that a spreadsheet or an editor may have made from one: "0012" and "12", or letters in
 * another case or Unicode form.
 */
export function areDistinct(a: string, b: string): boolean {
  if ([a, b].some((ref) => isContentRowRef(ref) || shortForm.test(ref))) return false;
  return a !== b && asSavedAgain(a) !== asSavedAgain(b);
}

function asSavedAgain(ref: string): string {
  const plain = withoutIgnorable(ref).normalize('NFKC').toLowerCase().replaceAll(/\s/g, '');
  const [, whole, decimals = ''] = numberForm.exec(plain) ?? [];
  if (whole === undefined) return plain;
  const kept = whole.slice(0, digitsKept).padEnd(whole.length, '0');
  return decimals === '' ? kept : `${kept}.${decimals}`;
}
