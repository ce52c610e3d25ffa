import type { BatchRecord } from '../ledger/batches.ts';
import type { Queryable } from '../ledger/database.ts';
import { troublesOf } from './advice.ts';
import { csvText } from './csv.ts';
import { columnsOf, inputOf, troubledPages } from './stored.ts';

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
 * `columns` are those of the file that had the rows.
 */
export function correctionCsv(columns: readonly string[]): {
  header: string;
  lines(rows: readonly RowToCorrect[]): string;
} {
  // A file that was itself one of corrections brings these two along: they speak of last time.
  const kept = columns.flatMap((name, at) => (problemColumns.includes(name) ? [] : [at]));
  return {
    header: byteOrderMark + csvText([[...kept.map((at) => columns[at] ?? ''), ...problemColumns]]),
    lines: (rows) =>
      csvText(
        rows.map(({ input, troubles }) => [
          ...kept.map((at) => input[at] ?? ''),
          troubles.map(({ message }) => message).join(' '),
          [...new Set(troubles.map(({ suggestion }) => suggestion))].join(' '),
          // Cells beyond the header stay beyond it: under a header of their own, the row would pass for whole.
          ...input.slice(columns.length),
        ]),
      ),
  };
}

/**
 * The text of failed.csv: the rows that failed or were invalid, as the file had them, with what is wrong and what to do. It is
 * made to be corrected and fed in again as it is.
 */
export async function* failedCsv(view: Queryable, batch: BatchRecord): AsyncGenerator<string> {
  const corrections = correctionCsv(columnsOf(batch));
  yield corrections.header;
  for await (const page of troubledPages(view, batch.batch_id)) {
    const lines = page.filter(({ status }) => status === 'failed' || status === 'invalid');
    if (lines.length === 0) continue;
    yield corrections.lines(lines.map((row) => ({ input: inputOf(row), troubles: troublesOf(row) })));
  }
}
