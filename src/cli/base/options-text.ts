/** Options by which a file is read again as it was the first time. */
const options = ['account', 'sheet', 'header_line', 'total_line', 'country', 'currency', 'decimal', 'map'] as const;

type ReadWith = { readonly [Name in (typeof options)[number]]?: string | readonly string[] | undefined };

/**
 * The same as it is typed again for a file of corrections: " --country KE --map 'amount=Net pay'". That is a CSV,
 * which has no sheets, begins with its header, and has no total.
 */
export function optionsText(given: ReadWith): string {
  const { sheet: _, header_line: __, total_line: ___, ...ofCsv } = given;
  return sameFileOptionsText(ofCsv);
}

/** The same for the file itself. */
export function sameFileOptionsText(given: ReadWith): string {
  return options
    .flatMap((name) => [given[name] ?? []].flat().map((value) => ` --${name.replace('_', '-')} ${quoted(value)}`))
    .join('');
}

/** A word of a command line as shells take it. */
export function quoted(text: string): string {
  return /^[\p{L}\p{N}_.=+/-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
