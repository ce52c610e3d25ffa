import type { FileNote } from '../../core/basics/rejected-file.ts';
import { type CountedSheet, countSheets, noRows, plannedOrLikely } from '../check/sheets.ts';
import { dateWarning, sheetWarnings } from '../check/warnings.ts';
import { mayBeCalled } from '../columns/column-names.ts';
import type { ColumnPlan } from '../columns/columns.ts';
import type { IntakeSettings } from '../columns/settings.ts';
import { findable } from '../file/delimiter.ts';
import type { RecordChunk } from '../file/record-chunk.ts';
import type { FromSheet, Source } from '../file/source.ts';
import { aboveWarning, likelyHeaderLine } from '../table/header-line.ts';
import { openTable } from '../table/table.ts';
import { asShown, type NamedDates } from '../workbook/shown-cells.ts';

/** A file whose rows people will correct. */
export interface MendingTable {
  header: string[];
  /** The line of the header if other lines stand above it, which are not read. */
  headerLine: number | null;
  delimiter: string;
  /** The sheet that was read; null for a file that is no workbook, and while a sheet is to be chosen. */
  sheet: string | null;
  fromSheet: FromSheet | null;
  /** What the sheets would pay, if a person must choose one: there are no rows then. */
  sheets: CountedSheet[];
  chunks: AsyncIterable<RecordChunk>;
  /** What a person should know about the file, one sentence each. It is complete once all rows are read. */
  notes(): FileNote[];
}

/** Without a column for the network, which a person can name for all rows, the others are recognised all the same. */
export const anyNetwork = 0;

/** Between the cells of a file that was made from a workbook: amounts often have commas. */
const workbookDelimiter = ';';

/**
 * Opens a file as rows, without saying what its columns mean. Throws `FILE_REJECTED` if it is no table. Of a workbook
 * with rows to pay in another sheet than the first, no rows are read until a sheet is named.
 */
export async function openForMending(
  source: Source,
  settings: IntakeSettings,
  signal?: AbortSignal,
): Promise<MendingTable> {
  const first = await openTable(source, settings, signal);
  // A header in the middle of the rows is no reason to leave those above it out.
  const { plan } = plannedOrLikely(first.header, settings, first.form.hiddenColumns);
  const isHeader = settings.headerLine !== null || plan.phone_number !== undefined;
  const below = isHeader ? null : likelyHeaderLine(first, settings.columns);
  if (below === null) return mendingTable(source, settings, first, signal);
  await first.rows.return(undefined);
  const fromHeader = { ...settings, headerLine: below };
  return mendingTable(source, fromHeader, await openTable(source, fromHeader, signal), signal);
}

/** The empty table of a workbook until a person has chosen one of its sheets. */
function unreadTable(sheets: CountedSheet[]): MendingTable {
  return {
    ...{ header: [], headerLine: null, delimiter: workbookDelimiter, sheet: null, sheets },
    ...{ fromSheet: null, chunks: noRows(), notes: () => [] },
  };
}

async function mendingTable(
  source: Source,
  settings: IntakeSettings,
  { header, rows, form }: Awaited<ReturnType<typeof openTable>>,
  signal: AbortSignal | undefined,
): Promise<MendingTable> {
  const sheets = await countSheets(source, settings, form, signal);
  if (sheets.slice(1).some(({ rows: count }) => count > 0)) {
    await rows.return(undefined);
    return unreadTable(sheets);
  }
  const { hiddenColumns: hidden } = form;
  const fromSheet = form.format === 'xlsx' ? { hiddenColumns: [...hidden] } : null;
  const { plan } = plannedOrLikely(header, { ...settings, networkId: settings.networkId ?? anyNetwork }, hidden);
  const dates: NamedDates = { count: 0, first: null };
  return {
    header,
    headerLine: settings.headerLine,
    delimiter: fromSheet === null ? findable(form.delimiter) : workbookDelimiter,
    ...{ fromSheet, sheet: form.sheet, sheets: [] },
    chunks: asShown(rows, plan, dates, unreadColumns(header, plan)),
    notes: () => [...aboveWarning(form, settings.headerLine), ...sheetWarnings(form), ...dateWarning(dates)],
  };
}

/** The columns that are not read yet, except those that look like phone numbers. */
function unreadColumns(header: readonly string[], plan: ColumnPlan): number[] {
  const read = Object.values(plan);
  return header.flatMap((name, index) => (read.includes(index) || mayBeCalled(name, 'phone_number') ? [] : [index]));
}
