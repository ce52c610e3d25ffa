import { stringify } from 'csv-stringify/sync';
import { spreadsheetSafe } from '../core/spreadsheet-safe.ts';

/** Lines of CSV (RFC 4180 with line feeds) from cells in their order. No cell of it is run as a formula. */
export function csvText(lines: (string | number | null)[][]): string {
  return stringify(lines, { cast: { string: spreadsheetSafe }, record_delimiter: '\n', quote_record_delimiter: true });
}
