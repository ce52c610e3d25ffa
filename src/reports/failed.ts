import type { FileForm } from '../core/file-form.ts';
import type { BatchRecord } from '../ledger/batches.ts';
import type { Queryable } from '../ledger/database.ts';
import { troublesOf } from './advice.ts';
import { csvText } from './csv.ts';
import { columnsOf, formOf, inputOf, troubledPages } from './stored.ts';

/** The two columns that we add, and that intake ignores when the corrected file comes back. */
const problemColumns = ['problem', 'suggestion'];

/** Spreadsheets take UTF-8 for what it is only after this mark; intake reads over it. */
const byteOrderMark = '\uFEFF';

/** A row to be corrected: its cells as the file has them, and what is wrong with it. */
export interface RowToCorrect {
  input: readonly string[];
  troubles: readonly { message: string; suggestion: string }[];
}

/**
 * A file of rows to be corrected and fed in again as it is: the file's own columns first, then what is wrong and what to do.
 * `columns` and `form` are those of the file that had the rows: whoever's spreadsheet has semicolons between cells opens ours as well.
 */
export function correctionCsv(
  columns: readonly string[],
  { delimiter, amountColumn, decimalSign }: FileForm,
): {
  header: string;
  lines(rows: readonly RowToCorrect[]): string;
} {
  // A file that was itself one of corrections brings these two along: they speak of last time.
  const kept = columns.flatMap((name, at) => (problemColumns.includes(name) ? [] : [at]));
  const cellAt = (input: readonly string[], at: number) => {
    const cell = input[at] ?? '';
    return at === amountColumn && decimalSign !== null ? plainAmount(cell, decimalSign) : cell;
  };
  return {
    header: byteOrderMark + csvText([[...kept.map((at) => columns[at] ?? ''), ...problemColumns]], delimiter),
    lines: (rows) =>
      csvText(
        rows.map(({ input, troubles }) => [
          ...kept.map((at) => cellAt(input, at)),
          troubles.map(({ message }) => message).join(' '),
          [...new Set(troubles.map(({ suggestion }) => suggestion))].join(' '),
          // Cells beyond the header stay beyond it: under a header of their own, the row would pass for whole.
          ...input.slice(columns.length),
        ]),
        delimiter,
      ),
  };
}

/** "1.234", alone or beside a currency: a thousand, or a decimal number, as the rest of its file tells. */
const ambiguousAmount = /^([^\d.,]*)([1-9]\d{0,2})([.,])(\d{3})([^\d.,][^\d]*)?$/;

/** The amount so that it is read as it was, by a `decimalSign` that other rows told which are not beside it any more. */
function plainAmount(cell: string, decimalSign: '.' | ','): string {
  return cell.replace(ambiguousAmount, (_, before: string, whole: string, sign: string, three: string, after = '') =>
    // A fourth decimal is not the end of a group of three.
    sign === decimalSign ? `${before}${whole}${sign}${three}0${after}` : `${before}${whole}${three}${after}`,
  );
}

/**
 * The text of failed.csv: the rows that failed or were invalid, as the file had them, with what is wrong and what to do. It is
 * made to be corrected and fed in again as it is.
 */
export async function* failedCsv(view: Queryable, batch: BatchRecord): AsyncGenerator<string> {
  const corrections = correctionCsv(columnsOf(batch), await formOf(view, batch.batch_id));
  yield corrections.header;
  for await (const page of troubledPages(view, batch.batch_id)) {
    const lines = page.filter(({ status }) => status === 'failed' || status === 'invalid');
    if (lines.length === 0) continue;
    yield corrections.lines(lines.map((row) => ({ input: inputOf(row), troubles: troublesOf(row) })));
  }
}
