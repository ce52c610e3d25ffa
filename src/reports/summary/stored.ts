import { z } from 'zod';
import { pagesOf } from '../../core/basics/pages.ts';
import { type FileForm, plainForm } from '../../core/identity/file-form.ts';
import { firstEvent } from '../../ledger/audit/audit-pages.ts';
import { readData } from '../../ledger/audit/events.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { pageReported, pageTroubled, type ReportedRow } from '../../ledger/reporting/reported-rows.ts';
import { findRow } from '../../ledger/rows/rows.ts';
import { maskedName, personColumns, personNamed } from '../text/person-name.ts';

/** The shapes of JSON texts in the ledger, checked when they are read: no report is better than a wrong one. */
const storedProblems = z.array(
  z.object({
    code: z.string(),
    column: z.string().nullable(),
    /** The content of that column; missing if the problem is about the whole row. */
    value: z.string().nullish(),
    message: z.string(),
    suggestion: z.string(),
  }),
);
/** One problem of a row: core/state/problem-table.ts has the codes. */
export type StoredProblem = z.infer<typeof storedProblems>[number];

const storedNames = z.array(
  z.object({ code: z.string(), message: z.string(), values: z.record(z.string(), z.string()).optional() }),
);

/** The same problems with the values in their messages; null if an earlier version of the program found them. */
export function namedProblemsOf({ problems }: Pick<ReportedRow, 'problems'>) {
  const found = problems === null ? [] : storedNames.parse(JSON.parse(problems));
  return found.map(({ code, message, values = null }) => ({ code, message, values }));
}

const storedBalance = z.object({
  total: z.object({ value: z.string(), currency: z.string() }).nullable(),
  wallets: z.array(
    z.object({
      walletId: z.string(),
      name: z.string(),
      currency: z.string(),
      balance: z.string(),
      active: z.boolean(),
    }),
  ),
  readAt: z.number(),
});
export type StoredBalance = z.infer<typeof storedBalance>;

const cells = z.array(z.string());

/** Why a row is invalid, held or skipped; empty if nothing is wrong with it. */
export function problemsOf(row: Pick<ReportedRow, 'problems'>): StoredProblem[] {
  return row.problems === null ? [] : storedProblems.parse(JSON.parse(row.problems));
}

/** Cells without escapes, as `JSON.stringify` writes them. */
const plainCells = /^\["[^"\\]*(?:","[^"\\]*)*"\]$/;

/**
 * The cells of a row as in the file, as many as its line has, which may be more or fewer than the header's. Plain cells
 * are cut out of the text: `JSON.parse` would intern each short text until the next full garbage collection.
 */
export function inputOf(row: Pick<ReportedRow, 'input'>): string[] {
  if (plainCells.test(row.input)) return row.input.slice(2, -2).split('","');
  const parsed: unknown = JSON.parse(row.input);
  if (!Array.isArray(parsed)) return cells.parse(parsed);
  for (const cell of parsed) if (typeof cell !== 'string') return cells.parse(parsed);
  return parsed;
}

/** The file's own column names, in file order. */
export function columnsOf(batch: BatchRecord): string[] {
  return cells.parse(JSON.parse(batch.columns));
}

const personColumnsOf = new WeakMap<BatchRecord, number[]>();

/** The columns with the names of people in the batch's file. */
export function namesIn(batch: BatchRecord): number[] {
  const known = personColumnsOf.get(batch) ?? personColumns(columnsOf(batch));
  personColumnsOf.set(batch, known);
  return known;
}

/** The name of the person whom a row pays, as in the file; null if there is none, or if the person was forgotten. */
export function personOf(
  batch: BatchRecord,
  row: Pick<ReportedRow, 'input'>,
  { mask }: { mask: boolean },
): string | null {
  const columns = namesIn(batch);
  const name = columns.length === 0 ? null : personNamed(inputOf(row), columns);
  return name !== null && mask ? maskedName(name) : name;
}

/** The names of the people in these rows, by row, if the file has names. */
export async function peopleOf(
  db: Queryable,
  batch: BatchRecord,
  rowNos: Iterable<number>,
): Promise<Map<number, string>> {
  const people = new Map<number, string>();
  for (const rowNo of rowNos) {
    const row = await findRow(db, batch.batch_id, rowNo);
    const name = row === null ? null : personOf(batch, row, { mask: false });
    if (name !== null) people.set(rowNo, name);
  }
  return people;
}

const storedForm = z.object({
  delimiter: z.string(),
  amount_column: z.number().nullable(),
});

/**
 * How the batch's file was read, from its history; a default for a batch of an earlier version, which did not record
 * it.
 */
export async function formOf(view: Queryable, batchId: string): Promise<FileForm> {
  const event = await firstEvent(view, batchId, 'batch.validate');
  const found = storedForm.safeParse(event && readData(event.body));
  if (!found.success) return plainForm;
  const { delimiter, amount_column: amountColumn } = found.data;
  return { delimiter, amountColumn };
}

export function balanceOf(stored: string | null): StoredBalance | null {
  return stored === null ? null : storedBalance.parse(JSON.parse(stored));
}

/**
 * The wallets after the last row. Null while the batch is not finished: after a retry has opened it again, the earlier
 * reading does not include what the retry is charged.
 */
export function balanceAfter({ status, balance_after }: BatchRecord): StoredBalance | null {
  return status === 'completed' ? balanceOf(balance_after) : null;
}

/** Rows in memory at once: few enough that the garbage collector rarely finds them alive (measured). */
const rowsPerPage = 32;

/** The batch's rows in file order after row `afterRowNo`, page by page, so that memory does not grow with the batch. */
export function rowPages(view: Queryable, batchId: string, afterRowNo = 0): AsyncGenerator<ReportedRow[]> {
  return pagesOf(rowsPerPage, (last, limit) => pageReported(view, batchId, last?.row_no ?? afterRowNo, limit));
}

/** The same, but only rows for which `troublesOf` may return something. */
export function troubledPages(view: Queryable, batchId: string): AsyncGenerator<ReportedRow[]> {
  return pagesOf(rowsPerPage, (last, limit) => pageTroubled(view, batchId, last?.row_no ?? 0, limit));
}
