import { parse } from 'csv-parse/sync';
import { meaningOf } from '../columns/column-names.ts';

export interface Delimiter {
  delimiter: string;
  /** True where the first line is Excel's `sep=;`, which is no record. */
  hasSeparatorLine: boolean;
}

/** In the order in which they are preferred where nothing decides. */
const candidates = [',', ';', '\t', '|'] as const;

/** Excel's own way to say it; some programs quote the line. Letters, digits and quotation marks separate nothing. */
const separatorLine = /^"?sep=([^\p{L}\p{N}"\s]|\t)"?(?:\r\n|\n|\r)/iu;

/**
 * The delimiter of a table by its header, which is on line `headerLine`: the one under which most columns have a
 * meaning (`isMapped`: by the explicit mapping), then the one that gives most columns. A cell of the rows below may
 * hold any of them, and decides nothing.
 */
export function delimiterOf(start: string, headerLine: number, isMapped: (column: string) => boolean): Delimiter {
  const said = separatorLine.exec(start)?.[1];
  if (said !== undefined) return { delimiter: said, hasSeparatorLine: true };
  const fromHeader = headerLine === 1 ? start : linesFrom(start, headerLine);
  let best = { delimiter: ',', meanings: -1, columns: 0 };
  for (const delimiter of candidates) {
    const header = headerBy(fromHeader, delimiter);
    const meanings = header.filter((name) => meaningOf(name) !== null || isMapped(name)).length;
    if (meanings > best.meanings || (meanings === best.meanings && header.length > best.columns)) {
      best = { delimiter, meanings, columns: header.length };
    }
  }
  return { delimiter: best.delimiter, hasSeparatorLine: false };
}

function linesFrom(text: string, line: number): string {
  return text
    .split(/\r\n|\n|\r/)
    .slice(line - 1)
    .join('\n');
}

function headerBy(start: string, delimiter: string): string[] {
  try {
    const records = parse(start, {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_quotes: true,
      relax_column_count: true,
      skip_records_with_empty_values: true,
      to: 1,
    });
    return records[0] ?? [];
  } catch {
    // A quotation mark that is open to the end: reading the file will say so, in better words.
    return [];
  }
}

/**
 * The delimiter as `delimiterOf` finds it by the header alone, or a comma: for a workbook, and what only a `sep=` line
 * tells.
 */
export function findable(delimiter: string | null): string {
  return candidates.find((candidate) => candidate === delimiter) ?? ',';
}
