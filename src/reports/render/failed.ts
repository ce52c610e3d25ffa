import type { FileForm } from '../../core/identity/file-form.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { troublesOf } from '../summary/advice.ts';
import { columnsOf, formOf, inputOf, troubledPages } from '../summary/stored.ts';
import { isContradicted } from '../summary/survey.ts';
import { csvText } from '../text/csv.ts';
import { sheetRowsMax, workbook } from './workbook.ts';

/** The two columns that airbatch adds, and that intake ignores when the corrected file comes back. */
const problemColumns = ['problem', 'suggestion'];

/** Spreadsheets recognise UTF-8 only with this mark; intake skips it. */
const byteOrderMark = '\uFEFF';

/** A row to be corrected: its cells as in the file, and what is wrong with it. */
export interface RowToCorrect {
  input: readonly string[];
  /** The amount as airbatch read it; null if it could not. */
  amount: string | null;
  troubles: readonly { message: string; suggestion: string }[];
}

/**
 * Makes the table of rows to be corrected and imported again: the file's own columns first, then what is wrong and what
 * to do.
 */
function correctionTable(columns: readonly string[], amountColumn: FileForm['amountColumn']) {
  // If the original file was a correction itself, its two columns are about last time, and are dropped.
  const kept = columns.flatMap((name, at) => (problemColumns.includes(name) ? [] : [at]));
  const cellAt = ({ input, amount }: RowToCorrect, at: number) => {
    const cell = input[at] ?? '';
    return at === amountColumn && amount !== null ? plainAmount(cell, amount) : cell;
  };
  return {
    header: [...kept.map((at) => columns[at] ?? ''), ...problemColumns],
    cellsOf: (row: RowToCorrect): string[] => [
      ...kept.map((at) => cellAt(row, at)),
      row.troubles.map(({ message }) => message).join(' '),
      [...new Set(row.troubles.map(({ suggestion }) => suggestion))].join(' '),
      // Cells beyond the header stay beyond it: with a header of their own, the row would look correct.
      ...row.input.slice(columns.length),
    ],
  };
}

/**
 * Makes that table as a CSV. `columns` and `form` are those of the original file, so that a spreadsheet that opened it
 * opens this one, too.
 */
export function correctionCsv(
  columns: readonly string[],
  { delimiter, amountColumn }: FileForm,
): {
  header: string;
  lines(rows: readonly RowToCorrect[]): string;
} {
  const { header, cellsOf } = correctionTable(columns, amountColumn);
  return {
    header: byteOrderMark + csvText([header], delimiter),
    lines: (rows) => csvText(rows.map(cellsOf), delimiter),
  };
}

/** "1.234", alone or with a currency: a thousand, or a decimal number, depending on the other rows of the file. */
const ambiguousAmount = /^([^\d.,]*)([1-9]\d{0,2})([.,])(\d{3})([^\d.,][^\d]*)?$/;

/** Removes a sign between thousands that only other rows, which are not in this file, showed to be one. */
function plainAmount(cell: string, amount: string): string {
  return cell.replace(ambiguousAmount, (all, before: string, whole: string, _sign, three: string, after = '') =>
    whole + three === amount ? `${before}${amount}${after}` : all,
  );
}

/** Reads the rows that failed (and are not contradicted by the service) or were invalid, page by page. */
async function* rowsToCorrect(view: Queryable, { batch_id }: BatchRecord): AsyncGenerator<RowToCorrect[]> {
  for await (const page of troubledPages(view, batch_id)) {
    const rows = page.filter((row) => row.status === 'invalid' || (row.status === 'failed' && !isContradicted(row)));
    if (rows.length > 0)
      yield rows.map((row) => ({ input: inputOf(row), amount: row.amount, troubles: troublesOf(row) }));
  }
}

/**
 * The text of failed.csv: the rows to correct, as in the file, with what is wrong and what to do. It is made to be
 * corrected and imported again.
 */
export async function* failedCsv(view: Queryable, batch: BatchRecord): AsyncGenerator<string> {
  const corrections = correctionCsv(columnsOf(batch), await formOf(view, batch.batch_id));
  yield corrections.header;
  for await (const rows of rowsToCorrect(view, batch)) yield corrections.lines(rows);
}

/** Whether failed.xlsx is made for so many rows to correct: one sheet must hold them, since intake reads one. */
export function fitsSheet(rows: number): boolean {
  return rows > 0 && rows <= sheetRowsMax;
}

const [columnWidth, problemWidth] = [18, 60];

/**
 * failed.xlsx: the same rows as failed.csv, for people who work in a spreadsheet. Every cell is text: a spreadsheet
 * keeps the plus sign and the zeros of a number, which it drops when it opens the CSV.
 */
export async function* failedXlsx(view: Queryable, batch: BatchRecord): AsyncGenerator<Uint8Array> {
  const { amountColumn } = await formOf(view, batch.batch_id);
  const { header, cellsOf } = correctionTable(columnsOf(batch), amountColumn);
  async function* rows() {
    for await (const page of rowsToCorrect(view, batch)) yield page.map(cellsOf);
  }
  const widths = header.map((name) => (problemColumns.includes(name) ? problemWidth : columnWidth));
  yield* workbook([{ name: 'Rows to correct', widths, header, rows: rows() }]);
}
