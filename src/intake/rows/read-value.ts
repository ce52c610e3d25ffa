import { type AmountReading, decimalsOf, digitsOnly, hasThreeDecimals, readAmount } from '../cells/amount.ts';
import { valueOfDoubtful } from '../cells/amount-signs.ts';
import { plainText } from '../cells/plain-text.ts';
import type { RowUnderCheck } from './row-under-check.ts';

/** Most currencies have two decimals. Assumed if the row does not name its currency; such a row is not paid. */
const decimalsOfMost = 2;

const signNames = { '.': 'point', ',': 'comma' } as const;

/**
 * The value of a row's amount, or null if it can be read in two ways. Then the row gets a problem, or something must be
 * loaded first.
 */
export function readValue(
  row: RowUnderCheck,
  reading: Exclude<AmountReading, { kind: 'none' }>,
  currency: string | null,
): string | null {
  const { settings } = row.context;
  row.noteSign(reading);
  if (isSplit(row)) return null;
  const decimals = (currency === null ? null : decimalsOf(currency)) ?? decimalsOfMost;
  if (reading.kind === 'read') {
    const { value, decimalSign } = reading;
    if (decimalSign === null || decimals > 2 || !hasThreeDecimals(row.cell.amount, decimalSign)) return value;
    if (settings.decimalSign === decimalSign) return value;
    return blameDoubt(row, { grouped: digitsOnly(row.cell.amount), decimal: value, separator: decimalSign });
  }
  const { evidence } = row.context;
  if (evidence === null) {
    row.needs.evidence = true;
    return null;
  }
  const value = valueOfDoubtful(reading, decimals, settings.decimalSign, evidence.signs);
  return value ?? blameDoubt(row, reading);
}

function blameDoubt(
  row: RowUnderCheck,
  { grouped, decimal, separator }: { grouped: string; decimal: string; separator: '.' | ',' },
): null {
  const other = separator === '.' ? ',' : '.';
  row.blame('amount', {
    code: 'AMOUNT_AMBIGUOUS',
    values: { why: 'sign', one: grouped, other: decimal },
    message: `The amount can be ${grouped} or ${decimal}${whyDoubtful(row)}.`,
    suggestion: `Write ${grouped} or ${decimal}. Or name the decimal sign of the whole file: --decimal ${other} (then it is ${grouped}) or --decimal ${separator} (then it is ${decimal}).`,
  });
  return null;
}

/** Why the amount is doubtful, from other amounts of the file, with one line as an example of each kind. */
function whyDoubtful({ context: { evidence, settings } }: RowUnderCheck): string {
  const { '.': point = null, ',': comma = null } = evidence?.signs.proof ?? {};
  if (point !== null && comma !== null) return `: line ${point} has a decimal point, and line ${comma} a decimal comma`;
  const sign = point === null ? ',' : '.';
  const line = point ?? comma;
  if (line === null) return ', and no other amount of the file shows which';
  const name = signNames[sign];
  if (settings.decimalSign !== 'auto' && settings.decimalSign !== sign)
    return `: a decimal ${signNames[settings.decimalSign]} is set for the file, but line ${line} has a decimal ${name}`;
  return `: line ${line} has a decimal ${name}, and three digits after a sign are thousands in most files`;
}

const endsInFewDigits = /(?:^|[^0-9.,])[0-9]{1,3}$/;
const beginsInThreeDigits = /^[0-9]{3}(?![0-9])/;

/** Whether an unquoted thousands comma may have split one amount into two cells: "2,400" becomes 2 and 400. */
function isSplit(row: RowUnderCheck): boolean {
  const next = row.cellAfterAmount();
  if (next === '') return false;
  const [first, second] = [plainText(row.cell.amount), plainText(next)];
  if (!endsInFewDigits.test(first) || !beginsInThreeDigits.test(second)) return false;
  if (readAmount(`${first},${second}`).kind === 'none') return false;
  row.blame('amount', {
    code: 'AMOUNT_AMBIGUOUS',
    values: { why: 'split', one: first, other: `${first},${second}` },
    message: `The amount can be ${first}, or ${first},${second} that was split into two cells because it is not in quotes.`,
    suggestion: `Write "${first},${second}" in quotes, or ${first}.00; or save the file with semicolons between its cells.`,
  });
  return true;
}
