import { stringify } from 'csv-stringify/sync';
import { csvSafe } from '../../core/money/spreadsheet-safe.ts';

/** Lines end in a line feed. A cell with anything that a reader may take for a line end is quoted. */
const byComma = { cast: { string: (text: string) => csvSafe(text) } };

/** Lines of CSV (RFC 4180 with line feeds). No spreadsheet runs a cell as a formula. */
export function csvText(lines: (string | number | null)[][], delimiter = ','): string {
  if (delimiter === ',') return stringify(lines, byComma);
  return stringify(lines, { delimiter, cast: { string: (text) => csvSafe(text, delimiter) } });
}
