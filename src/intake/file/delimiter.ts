import { parse } from 'csv-parse/sync';
import { meaningOf } from '../columns/column-names.ts';

export interface Delimiter {
  delimiter: string;
  /** True if the first line is Excel's `sep=;`, which is not a record. */
  hasSeparatorLine: boolean;
}

/** In order of preference if nothing else decides. */
const candidates = [',', ';', '\t', '|'] as const;

/**
 * Excel's own way to name the delimiter; some programs quote the line. Letters, digits and quotation marks are no
 * delimiters.
 */
const separatorLine = /^"?sep=([^\p{L}\p{N}"\s]|\t)"?(?:\r\n|\n|\r)/iu;

/**
 * The delimiter of a table, from its header on line `headerLine`: the one with which most columns have a meaning
 * (`isMapped`: through the explicit mapping), then the one that gives most columns. Cells of the rows may contain any
 * of them, and do not count.
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
    // An open quotation mark: the reader will report it with a better message.
    return [];
  }
}

/**
 * The delimiter if `delimiterOf` can find it from the header alone; else a comma: for a workbook, or for a delimiter
 * that only a `sep=` line names.
 */
export function findable(delimiter: string | null): string {
  return candidates.find((candidate) => candidate === delimiter) ?? ',';
}
