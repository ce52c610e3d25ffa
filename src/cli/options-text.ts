import type { ReadWith } from '../ledger/batches.ts';

/** Options by which a file of corrections is read as the first one was. It is a CSV, whatever that was: no sheet is named. */
const options = ['account', 'country', 'currency', 'map'] as const;

/** What of these was given, as the batch keeps it. */
export function readWithOf(given: Readonly<Record<string, unknown>>): ReadWith {
  return Object.fromEntries(
    options.flatMap((name) => {
      const value = given[name] as string | readonly string[] | undefined;
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The same as it is typed again: " --country KE --map 'amount=Net pay'". */
export function optionsText(given: ReadWith): string {
  return options.flatMap((name) => [given[name] ?? []].flat().map((value) => ` --${name} ${quoted(value)}`)).join('');
}

/** A word of a command line as shells take it. */
export function quoted(text: string): string {
  return /^[\p{L}\p{N}_.=+/-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
