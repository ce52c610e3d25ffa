import type { ReadWith } from '../../ledger/batches/batches.ts';

/** Options by which a file is read again as it was the first time. */
const options = ['account', 'sheet', 'header-line', 'total-line', 'country', 'currency', 'decimal', 'map'] as const;

/** What of these was given, as the batch keeps it. */
export function readWithOf(given: Readonly<Record<string, unknown>>): ReadWith {
  return Object.fromEntries(
    options.flatMap((name) => {
      const value = given[name.replace(/-./, (dash) => dash.slice(1).toUpperCase())] as
        | string
        | readonly string[]
        | undefined;
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/**
 * The same as it is typed again for a file of corrections: " --country KE --map 'amount=Net pay'". That is a CSV,
 * which has no sheets, begins with its header, and has no total.
 */
export function optionsText(given: ReadWith): string {
  const { sheet: _, 'header-line': __, 'total-line': ___, ...ofCsv } = given;
  return sameFileOptionsText(ofCsv);
}

/** The same for the file itself. */
export function sameFileOptionsText(given: ReadWith): string {
  return options.flatMap((name) => [given[name] ?? []].flat().map((value) => ` --${name} ${quoted(value)}`)).join('');
}

/** A word of a command line as shells take it. */
export function quoted(text: string): string {
  return /^[\p{L}\p{N}_.=+/-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
