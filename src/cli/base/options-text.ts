/** Options with which a file is read again in the same way as the first time. */
const options = ['account', 'sheet', 'header_line', 'total_line', 'country', 'currency', 'decimal', 'map'] as const;

type ReadWith = { readonly [Name in (typeof options)[number]]?: string | readonly string[] | undefined };

/**
 * The same options as text for a command that reads a file of corrections: " --country KE --map 'amount=Net pay'". That
 * file is a CSV: it has no sheets, starts with its header, and has no total line.
 */
export function optionsText(given: ReadWith): string {
  const { sheet: _, header_line: __, total_line: ___, ...ofCsv } = given;
  return sameFileOptionsText(ofCsv);
}

/** The same for the original file. */
export function sameFileOptionsText(given: ReadWith): string {
  return options
    .flatMap((name) => [given[name] ?? []].flat().map((value) => ` --${name.replace('_', '-')} ${quoted(value)}`))
    .join('');
}

/** Quotes an argument for a shell. */
export function quoted(text: string): string {
  return /^[\p{L}\p{N}_.=+/-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
