import { z } from 'zod';
import { type FileForm, plainForm } from '../../core/identity/file-form.ts';
import { firstEvent } from '../../ledger/audit/audit-pages.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { pageReported, pageTroubled, type ReportedRow } from '../../ledger/reporting/reported-rows.ts';
import { findRow } from '../../ledger/rows/rows.ts';
import { maskedName, personColumns, personNamed } from '../text/person-name.ts';

/**
 * The shapes of what the ledger keeps as JSON text, checked when it is read back: a report would rather fail than be
 * wrong.
 */
const storedProblems = z.array(
  z.object({
    code: z.string(),
    column: z.string().nullable(),
    /** What stands in that column; nothing, where it is about the row as a whole. */
    value: z.string().nullish(),
    message: z.string(),
    suggestion: z.string(),
  }),
);
/** One thing that is wrong with a row: core/problem-table.ts has the codes. */
export type StoredProblem = z.infer<typeof storedProblems>[number];

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

/** Why a row is invalid, held or skipped; empty where nothing is wrong with it. */
export function problemsOf(row: Pick<ReportedRow, 'problems'>): StoredProblem[] {
  return row.problems === null ? [] : storedProblems.parse(JSON.parse(row.problems));
}

/** Cells in which nothing had to be escaped, as `JSON.stringify` writes them. */
const plainCells = /^\["[^"\\]*(?:","[^"\\]*)*"\]$/;

/**
 * The cells of a row as they stand in the file: as many as its line has, which may be more or fewer than the header's.
 * `JSON.parse` would keep each short text for all of the program, until the collector goes through everything: plain
 * cells are cut.
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

/** Where the rows of the batch's file have the names of people. */
export function namesIn(batch: BatchRecord): number[] {
  const known = personColumnsOf.get(batch) ?? personColumns(columnsOf(batch));
  personColumnsOf.set(batch, known);
  return known;
}

/** The name of the person whom a row pays, as the file has it; null where it has none, or the person is forgotten. */
export function personOf(
  batch: BatchRecord,
  row: Pick<ReportedRow, 'input'>,
  { mask }: { mask: boolean },
): string | null {
  const columns = namesIn(batch);
  const name = columns.length === 0 ? null : personNamed(inputOf(row), columns);
  return name !== null && mask ? maskedName(name) : name;
}

/** The names of the people of these rows, by row, where the file has them. */
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
 * How the batch's file was read, as its history has it; of one that was read by an earlier version nothing is known.
 */
export async function formOf(view: Queryable, batchId: string): Promise<FileForm> {
  const event = await firstEvent(view, batchId, 'batch.validate');
  const found = storedForm.safeParse(event && JSON.parse(event.body));
  if (!found.success) return plainForm;
  const { delimiter, amount_column: amountColumn } = found.data;
  return { delimiter, amountColumn };
}

export function balanceOf(stored: string | null): StoredBalance | null {
  return stored === null ? null : storedBalance.parse(JSON.parse(stored));
}

/**
 * What the wallets held after the last row. Null while the batch has not ended: after a retry has opened it again, the
 * reading at its earlier end does not cover what the retry is charged.
 */
export function balanceAfter({ status, balance_after }: BatchRecord): StoredBalance | null {
  return status === 'completed' ? balanceOf(balance_after) : null;
}

/**
 * Rows held in memory at once: few enough that the collector of a small young generation hardly finds any alive
 * (measured).
 */
const rowsPerPage = 32;

/** The batch's rows in file order after row `afterRowNo`, page by page, so that memory does not grow with the batch. */
export function rowPages(view: Queryable, batchId: string, afterRowNo = 0): AsyncGenerator<ReportedRow[]> {
  return pagesOf(pageReported, view, batchId, afterRowNo);
}

/** In the same way, the rows alone of which `troublesOf` may have something to say. */
export function troubledPages(view: Queryable, batchId: string): AsyncGenerator<ReportedRow[]> {
  return pagesOf(pageTroubled, view, batchId, 0);
}

async function* pagesOf(
  pageOf: typeof pageReported,
  view: Queryable,
  batchId: string,
  afterRowNo: number,
): AsyncGenerator<ReportedRow[]> {
  for (let after = afterRowNo; ; ) {
    const page = await pageOf(view, batchId, after, rowsPerPage);
    const last = page.at(-1);
    if (!last) return;
    yield page;
    if (page.length < rowsPerPage) return;
    after = last.row_no;
  }
}
