import { stringify } from 'csv-stringify/sync';
import { csvSafe } from '../../core/money/spreadsheet-safe.ts';

/** By default, lines end in a line feed, and whatever any reader takes for a line's end is quoted. */
const byComma = { cast: { string: (text: string) => csvSafe(text) } };

/** Lines of CSV (RFC 4180 with line feeds) from cells in their order. No cell of it is run as a formula. */
export function csvText(lines: (string | number | null)[][], delimiter = ','): string {
  if (delimiter === ',') return stringify(lines, byComma);
  return stringify(lines, { delimiter, cast: { string: (text) => csvSafe(text, delimiter) } });
}
