import type { FileForm } from '../../core/identity/file-form.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { troublesOf } from '../summary/advice.ts';
import { columnsOf, formOf, inputOf, troubledPages } from '../summary/stored.ts';
import { isContradicted } from '../summary/survey.ts';
import { csvText } from '../text/csv.ts';

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
 * Makes a file of rows to be corrected and imported again: the file's own columns first, then what is wrong and what to
 * do. `columns` and `form` are those of the original file, so that a spreadsheet that opened it opens this one, too.
 */
export function correctionCsv(
  columns: readonly string[],
  { delimiter, amountColumn }: FileForm,
): {
  header: string;
  lines(rows: readonly RowToCorrect[]): string;
} {
  // If the original file was a correction itself, its two columns are about last time, and are dropped.
  const kept = columns.flatMap((name, at) => (problemColumns.includes(name) ? [] : [at]));
  const cellAt = ({ input, amount }: RowToCorrect, at: number) => {
    const cell = input[at] ?? '';
    return at === amountColumn && amount !== null ? plainAmount(cell, amount) : cell;
  };
  return {
    header: byteOrderMark + csvText([[...kept.map((at) => columns[at] ?? ''), ...problemColumns]], delimiter),
    lines: (rows) =>
      csvText(
        rows.map((row) => [
          ...kept.map((at) => cellAt(row, at)),
          row.troubles.map(({ message }) => message).join(' '),
          [...new Set(row.troubles.map(({ suggestion }) => suggestion))].join(' '),
          // Cells beyond the header stay beyond it: with a header of their own, the row would look correct.
          ...row.input.slice(columns.length),
        ]),
        delimiter,
      ),
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

/**
 * The text of failed.csv: the rows that failed (and are not contradicted by the service) or were invalid, as in the
 * file, with what is wrong and what to do. It is made to be corrected and imported again.
 */
export async function* failedCsv(view: Queryable, batch: BatchRecord): AsyncGenerator<string> {
  const corrections = correctionCsv(columnsOf(batch), await formOf(view, batch.batch_id));
  yield corrections.header;
  for await (const page of troubledPages(view, batch.batch_id)) {
    const lines = page.filter((row) => row.status === 'invalid' || (row.status === 'failed' && !isContradicted(row)));
    if (lines.length === 0) continue;
    yield corrections.lines(
      lines.map((row) => ({ input: inputOf(row), amount: row.amount, troubles: troublesOf(row) })),
    );
  }
}
