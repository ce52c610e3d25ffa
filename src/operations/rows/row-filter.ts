import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { ReportedRow } from '../../ledger/reporting/reported-rows.ts';
import { personOf, problemsOf } from '../../reports/summary/stored.ts';
import { maskNumbers, maskRowRef } from '../../reports/text/mask.ts';

/** A search with more digits must have the whole number: otherwise a masked number could be found digit by digit. */
const lastDigitsMax = 4;
/** The digits of a number that people may leave out: its country code. */
const countryDigitsMax = 3;

/** Whether a row has a text (in its row ref, its name or its number) and a code; what is undefined is not asked for. */
export function rowFilter(
  batch: BatchRecord,
  { find, code }: { find: string | undefined; code: string | undefined },
): (row: ReportedRow) => boolean {
  const wanted = find === undefined ? null : plain(find);
  const digits = find === undefined ? null : digitsOf(find);
  const hasText = (row: ReportedRow) => {
    if (wanted === null) return true;
    const { row_ref: ref, phone_number: number } = row;
    if (digits !== null && number !== null && isNumber(number.slice(1), digits)) return true;
    // Text that the answer masks is not searched either.
    if (ref !== null && has(ref, wanted) && has(maskRowRef(ref, number) ?? '', wanted)) return true;
    const person = personOf(batch, row, { mask: false });
    return person !== null && has(person, wanted) && has(maskNumbers(person), wanted);
  };
  const hasCode = (row: ReportedRow) =>
    code === undefined || row.failure_code === code || problemsOf(row).some((one) => one.code === code);
  return (row) => hasCode(row) && hasText(row);
}

/** Whether rows are looked for by a whole number: who finds one has confirmed whose row it is. */
export function isNumberSearch(find: string | undefined): boolean {
  return find !== undefined && (digitsOf(find)?.length ?? 0) > lastDigitsMax;
}

function has(text: string, wanted: string): boolean {
  return plain(text).includes(wanted);
}

/** Lower case, without accents: as people type names. */
function plain(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text.toLowerCase();
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** The digits of a text that may be a phone number; null if it is none. */
function digitsOf(text: string): string | null {
  return /^[+0-9 ().-]*[0-9][0-9 ().-]*$/.test(text) ? text.replace(/[^0-9]/g, '') : null;
}

function isNumber(number: string, digits: string): boolean {
  if (digits.length <= lastDigitsMax) return number.endsWith(digits);
  const national = digits.replace(/^0+/, '');
  return number.endsWith(national) && national.length >= number.length - countryDigitsMax;
}
