import type { RowState } from '../../core/state/row-state.ts';
import { batchLabel } from '../../core/state/state-texts.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { troublesOf } from '../summary/advice.ts';
import { namesIn, personOf, rowPages, troubledPages } from '../summary/stored.ts';
import type { BatchSummary } from '../summary/summary-shape.ts';
import type { Survey } from '../summary/survey.ts';
import { maskNumbers, maskPhone, maskRowRef } from '../text/mask.ts';
import type { ReportVersion } from '../versions/version-shape.ts';
import { type ResultLayout, resultCells, resultColumns, resultLayout, resultLine } from './results.ts';
import { type Cell, type Sheet, sheetRowsMax, workbook } from './workbook.ts';
import { summaryRows, summarySheet } from './xlsx-summary.ts';

/** results.xlsx: the content of summary.json and results.csv, for people who work in a spreadsheet. */
export async function* resultsXlsx(
  view: Queryable,
  batch: BatchRecord,
  survey: Survey,
  summary: BatchSummary,
  options: { mask: boolean; version: ReportVersion },
): AsyncGenerator<Uint8Array> {
  // Made on demand: nothing may read the ledger after the folder proved not writable.
  yield* workbook([
    summarySheet(summaryRows(summary, batchLabel(batch), options.version)),
    ...resultSheets(view, batch, survey, options),
    problemSheet(view, batch, options),
  ]);
}

type ColumnKind = 'integer' | 'decimal' | 'time' | 'state';
const columnKinds: Readonly<Record<string, ColumnKind>> = {
  row: 'integer',
  status: 'state',
  network_id: 'integer',
  amount: 'decimal',
  generation: 'integer',
  attempts: 'integer',
  cost: 'decimal',
  first_sent_at: 'time',
  completed_at: 'time',
  refunded_at: 'time',
  refund_amount: 'decimal',
};
/** Enough for "2026-11-01 08:00:01 UTC": a narrower column shows "#####". */
const timeWidth = 24;
const columnWidths: Readonly<Record<string, number>> = {
  row: 7,
  row_ref: 18,
  phone_number: 17,
  topup_id: 38,
  reference: 32,
  idempotency_key: 38,
  failure_reason: 40,
  first_sent_at: timeWidth,
  completed_at: timeWidth,
  sms_message: 40,
  line: 7,
  failure_column: 18,
  refunded_at: timeWidth,
};
const widthElse = 13;

/** The heading of each column, for people. The heading of a column of the file begins with "File: ". */
const headings: Readonly<Record<string, string>> = {
  row: 'Row',
  row_ref: 'Reference',
  status: 'State',
  phone_number: 'Phone number',
  network_id: 'Network',
  amount: 'Amount',
  currency: 'Currency',
  product_id: 'Product',
  generation: 'Try',
  attempts: 'Requests sent',
  topup_id: 'Top-up at the service',
  reference: 'Reference at the service',
  idempotency_key: 'Idempotency key',
  service_status: 'Status at the service',
  provider_reference: "Operator's receipt",
  cost: 'Charged',
  cost_currency: 'Charged in',
  failure_code: 'Problem',
  failure_reason: 'What went wrong',
  first_sent_at: 'First sent',
  completed_at: 'Ended at',
  sms_message: 'SMS text',
  line: 'Line in the file',
  failure_column: 'Column of the problem',
  contradicted: 'What the service says now',
  refunded_at: 'Came back at',
  refund_amount: 'Came back',
  refund_currency: 'Came back in',
};
const nameHeading = 'Name';
const nameWidth = 24;
const fileColumn = /^input_/;

function headingOf(name: string): string {
  return fileColumn.test(name) ? `File: ${name.replace(fileColumn, '')}` : (headings[name] ?? name);
}

/** Puts the person's name next to the number, if the file has names. */
function nameAfterNumber<Value>(values: readonly Value[], name: Value | undefined): Value[] {
  if (name === undefined) return [...values];
  const at = resultColumns.indexOf('phone_number') + 1;
  return [...values.slice(0, at), name, ...values.slice(at)];
}

function resultSheets(view: Queryable, batch: BatchRecord, survey: Survey, options: { mask: boolean }): Sheet[] {
  const layout = resultLayout(batch, survey);
  const hasNames = namesIn(batch).length > 0;
  const count = Math.max(1, Math.ceil(survey.rows / sheetRowsMax));
  return Array.from({ length: count }, (_, at) => ({
    name: at === 0 ? 'Results' : `Results ${at + 1}`,
    widths: nameAfterNumber(
      layout.names.map((name) => columnWidths[name] ?? widthElse),
      hasNames ? nameWidth : undefined,
    ),
    header: nameAfterNumber(layout.names.map(headingOf), hasNames ? nameHeading : undefined),
    rows: resultRows(view, batch, at * sheetRowsMax, layout, options),
  }));
}

/** The rows of one sheet. Row numbers have no gaps, so the first row of a sheet is known. */
async function* resultRows(
  view: Queryable,
  batch: BatchRecord,
  afterRowNo: number,
  layout: ResultLayout,
  options: { mask: boolean },
): AsyncGenerator<Cell[][]> {
  const kinds = layout.names.map((name) => columnKinds[name] ?? null);
  const hasNames = namesIn(batch).length > 0;
  for await (const page of rowPages(view, batch.batch_id, afterRowNo)) {
    const own = page.filter(({ row_no }) => row_no <= afterRowNo + sheetRowsMax);
    yield own.map((row) => {
      const cells = resultCells(resultLine(batch, row, options), layout);
      const typed = cells.map((value, at) => typedCell(value, kinds[at] ?? null));
      return nameAfterNumber(typed, hasNames ? personOf(batch, row, options) : undefined);
    });
    if (own.length < page.length) return;
  }
}

function typedCell(value: string | number | null, kind: ColumnKind | null): Cell {
  if (value === null) return null;
  if (kind === 'decimal') return { as: 'decimal', value: String(value) };
  if (kind === 'time') return { as: 'time', value: Date.parse(String(value)) };
  if (kind === 'state') return { as: stateStyle[value as RowState], value: String(value) };
  return typeof value === 'number' ? { as: 'integer', value } : value;
}

const stateStyle: Record<RowState, 'good' | 'bad' | 'waiting'> = {
  completed: 'good',
  failed: 'bad',
  invalid: 'bad',
  skipped: 'waiting',
  cancelled: 'waiting',
  held: 'waiting',
  ready: 'waiting',
  sending: 'waiting',
  accepted: 'waiting',
  in_doubt: 'bad',
};

function problemSheet(view: Queryable, batch: BatchRecord, options: { mask: boolean }): Sheet {
  return {
    name: 'Problems',
    widths: [7, 7, 13, nameWidth, 17, 18, 24, 18, 60, 60],
    header: [
      'Row',
      'Line',
      'State',
      nameHeading,
      'Phone number',
      'Reference',
      'Problem',
      'Column',
      'What went wrong',
      'What to do',
    ],
    rows: problemRows(view, batch, options),
  };
}

async function* problemRows(
  view: Queryable,
  batch: BatchRecord,
  { mask }: { mask: boolean },
): AsyncGenerator<Cell[][]> {
  let left = sheetRowsMax - 1;
  for await (const page of troubledPages(view, batch.batch_id)) {
    const lines = page.flatMap((row) =>
      troublesOf(row).map(({ code, column, message, suggestion }): Cell[] => [
        { as: 'integer', value: row.row_no },
        { as: 'integer', value: row.line },
        { as: stateStyle[row.status], value: row.status },
        personOf(batch, row, { mask }),
        mask && row.phone_number !== null ? maskPhone(row.phone_number) : row.phone_number,
        mask && row.row_ref !== null ? maskRowRef(row.row_ref, row.phone_number) : row.row_ref,
        code === '' ? null : code,
        column,
        mask ? maskNumbers(message) : message,
        suggestion,
      ]),
    );
    yield lines.slice(0, left);
    left -= lines.length;
    if (left > 0) continue;
    yield [['There are more: failed.csv has them all.']];
    return;
  }
}
