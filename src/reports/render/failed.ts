import type { FileForm } from '../../core/identity/file-form.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { troublesOf } from '../summary/advice.ts';
import { columnsOf, formOf, inputOf, troubledPages } from '../summary/stored.ts';
import { isContradicted } from '../summary/survey.ts';
import { csvText } from '../text/csv.ts';

/** The two columns that we add, and that intake ignores when the corrected file comes back. */
const problemColumns = ['problem', 'suggestion'];

/** Spreadsheets take UTF-8 for what it is only after this mark; intake reads over it. */
const byteOrderMark = '\uFEFF';

/** A row to be corrected: its cells as the file has them, and what is wrong with it. */
export interface RowToCorrect {
  input: readonly string[];
  /** The amount as it was read; null where it was not. */
  amount: string | null;
  troubles: readonly { message: string; suggestion: string }[];
}

/**
 * A file of rows to be corrected and fed in again as it is: the file's own columns first, then what is wrong and what
 * to do. `columns` and `form` are those of the file that had the rows: whoever's spreadsheet has semicolons between
 * cells opens ours as well.
 */
export function correctionCsv(
  columns: readonly string[],
  { delimiter, amountColumn }: FileForm,
): {
  header: string;
  lines(rows: readonly RowToCorrect[]): string;
} {
  // A file that was itself one of corrections brings these two along: they speak of last time.
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
          // Cells beyond the header stay beyond it: under a header of their own, the row would pass for whole.
          ...row.input.slice(columns.length),
        ]),
        delimiter,
      ),
  };
}

/** "1.234", alone or beside a currency: a thousand, or a decimal number, as the rest of its file tells. */
const ambiguousAmount = /^([^\d.,]*)([1-9]\d{0,2})([.,])(\d{3})([^\d.,][^\d]*)?$/;

/**
 * The cell without the sign between its thousands where other rows, which are not here any more, showed it to be one.
 */
function plainAmount(cell: string, amount: string): string {
  return cell.replace(ambiguousAmount, (all, before: string, whole: string, _sign, three: string, after = '') =>
    whole + three === amount ? `${before}${amount}${after}` : all,
  );
}

/**
 * The text of failed.csv: the rows that failed, as the service still says, or were invalid, as the file had them, with
 * what is wrong and what to do. It is made to be corrected and fed in again as it is.
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
