import { withoutIgnorable } from '../text/ignorable.ts';
import { isContentRowRef } from './ids.ts';

/** A number as a spreadsheet shows and saves it in a narrow column: which one it was, nobody can tell any more. */
const shortForm = /^[0-9](?:[.,][0-9]+)?E\+[0-9]{2,}$/i;

const numberForm = /^\+?0*([0-9]+?)(?:[.,]([0-9]*?)0*)?$/;

/** Spreadsheets keep so many digits of a number, and put zeros in place of the others. */
const digitsKept = 15;

/**
 * Whether two row refs tell two rows of a run apart. One that was made of what its row asks for does not; nor do two
 * that a spreadsheet, or an editor, may have made of one: "0012" and "12", letters in another case or composed
 * otherwise.
 */
export function tellApart(a: string, b: string): boolean {
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
