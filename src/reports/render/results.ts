import { idempotencyKey, paymentReference } from '../../core/identity/ids.ts';
import { bearsEarlierPayment } from '../../core/state/earlier-payment.ts';
import { wasSent } from '../../core/state/row-state.ts';
import { isoTime } from '../../core/time/clock.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import type { ReportedRow } from '../../ledger/reporting/reported-rows.ts';
import { columnsOf, inputOf, namesIn, problemsOf, rowPages } from '../summary/stored.ts';
import { isContradicted, type Survey } from '../summary/survey.ts';
import { csvText } from '../text/csv.ts';
import { maskNumbers, maskOccurrences, maskPhone, maskRowRef } from '../text/mask.ts';
import { maskedName } from '../text/person-name.ts';

/** The columns of results.csv before the file's own columns: their names and order never change. */
export const resultColumns = [
  'row',
  'row_ref',
  'status',
  'phone_number',
  'network_id',
  'amount',
  'currency',
  'product_id',
  'generation',
  'attempts',
  'topup_id',
  'reference',
  'idempotency_key',
  'service_status',
  'provider_reference',
  'cost',
  'cost_currency',
  'failure_code',
  'failure_reason',
  'first_sent_at',
  'completed_at',
] as const;
export type ResultColumn = (typeof resultColumns)[number];

/**
 * The columns after those of the file: the row's line in the file, and the columns that its failure codes are about.
 */
const placeColumns = ['line', 'failure_column'] as const;

/** Further columns at the end if any paid row was refunded. */
export const refundColumns = ['refunded_at', 'refund_amount', 'refund_currency'] as const;
type RefundColumn = (typeof refundColumns)[number];

/** A further column if the service contradicts any failed row: the payment's status at the service now. */
const contradictedColumn = 'contradicted';

/** The last column if any row may have been paid twice: the service's id of its second payment. */
const secondColumn = 'second_topup_id';

/**
 * The column after the file's own columns if any row has a text message. An approval is bound to the message, whatever
 * its source.
 */
const messageColumn = 'sms_message';

/** Which columns the results of a batch have. */
export interface ResultLayout {
  /** All columns, in order. */
  names: string[];
  /** The number of columns up to the last one of the file; `resultColumns` come before the file's. */
  upToInput: number;
  hasMessages: boolean;
  hasRefunds: boolean;
  hasContradicted: boolean;
  hasSeconds: boolean;
}

/** A row as reports show it: our own columns, the cells of the file, and their place in it (`placeColumns`). */
export interface ResultLine {
  values: (string | number | null)[];
  input: string[];
  /** The text message to the recipient. */
  message: string | null;
  place: (string | number | null)[];
  /** For a completed row that was refunded. */
  refund: Record<RefundColumn, string | null> | null;
  contradicted: string | null;
  second: string | null;
}

/**
 * The file's own columns. If a line has more cells than the header, the extra cells get columns, numbered as in a
 * spreadsheet, so that nothing is lost.
 */
function inputColumns(batch: BatchRecord, survey: Pick<Survey, 'cellsMax'>): string[] {
  const names = columnsOf(batch);
  while (names.length < survey.cellsMax) {
    let name = `column_${names.length + 1}`;
    while (names.includes(name)) name += '_';
    names.push(name);
  }
  return names.map((name) => `input_${name}`);
}

/** When the row's current generation was first sent; null if it was not. */
export function sentAtOf(row: ReportedRow): number | null {
  // Without an attempt of its own, the row shows when an earlier payment of it was made.
  const isBorne = bearsEarlierPayment(row) || (row.contradicted !== null && row.attempts === 0);
  return isBorne ? null : row.first_sent_at;
}

/** `mask`: phone numbers are masked wherever they are. */
export function resultLine(batch: BatchRecord, row: ReportedRow, { mask }: { mask: boolean }): ResultLine {
  const sentAt = sentAtOf(row);
  const sent = row.attempts > 0 || sentAt !== null;
  const identity =
    sent && row.row_ref !== null
      ? { account: batch.account, runId: batch.run_id, rowRef: row.row_ref, generation: row.generation }
      : null;
  const failure = failureOf(row);
  const line: ResultLine = {
    values: [
      row.row_no,
      row.row_ref,
      row.status,
      row.phone_number,
      row.network_id,
      row.amount,
      row.currency,
      row.product_id,
      row.generation,
      row.attempts,
      row.topup_id,
      identity && paymentReference(identity),
      identity && idempotencyKey(identity),
      row.service_status,
      row.provider_reference,
      row.cost,
      row.cost_currency,
      failure.code,
      failure.reason,
      sentAt === null ? null : isoTime(sentAt),
      row.completed_at === null ? null : isoTime(row.completed_at),
    ],
    input: inputOf(row),
    message: row.sms_message,
    place: [row.line, failure.column],
    refund: refundOf(row),
    contradicted: isContradicted(row) ? row.contradicted : null,
    second: row.second_topup_id,
  };
  return mask ? maskLine(line, row, namesIn(batch)) : line;
}

/**
 * Texts of people and of the service may contain any number. In our own texts only the row's number is searched for.
 */
const foreignColumns: readonly ResultColumn[] = ['failure_reason', 'provider_reference'];

function refundOf({ status, refunded_at, refund_amount, refund_currency }: ReportedRow): ResultLine['refund'] {
  if (status !== 'completed' || refunded_at === null) return null;
  return { refunded_at: isoTime(refunded_at), refund_amount, refund_currency };
}

function maskLine(
  { values, input, message, place, ...rest }: ResultLine,
  row: ReportedRow,
  names: readonly number[],
): ResultLine {
  const shownRef = row.row_ref === null ? null : maskRowRef(row.row_ref, row.phone_number);
  const masked = values.map((value, at) => {
    const column = resultColumns[at] as ResultColumn;
    if (typeof value !== 'string') return value;
    if (column === 'phone_number') return maskPhone(value);
    if (column === 'row_ref') return shownRef;
    if (column === 'reference') return shownRef && maskOccurrences(value, row.phone_number);
    // The key is derived from the row ref. If that contains the number, trying all numbers would reveal it from the
    // key.
    if (column === 'idempotency_key') return shownRef === row.row_ref ? value : null;
    return foreignColumns.includes(column) ? maskNumbers(value) : value;
  });
  const cells = input.map((cell, at) => (names.includes(at) ? maskedName(cell) : maskNumbers(cell)));
  return { values: masked, input: cells, message: message && maskNumbers(message), place, ...rest };
}

/**
 * Why a row is not paid: the service's reason, or, if the row is not sent, its problems. Then `column` names the file's
 * column for each code; it is empty for a code about the whole row.
 */
export function failureOf(row: ReportedRow): { code: string | null; reason: string | null; column: string | null } {
  const isOwn = !wasSent(row.status) || (row.failure_code === null && row.failure_reason === null);
  const problems = isOwn ? problemsOf(row) : [];
  if (problems.length === 0) return { code: row.failure_code, reason: row.failure_reason, column: null };
  return {
    code: problems.map(({ code }) => code).join('; '),
    reason: problems.map(({ message }) => message).join(' '),
    column: problems.some(({ column }) => column !== null)
      ? problems.map(({ column }) => column ?? '').join('; ')
      : null,
  };
}

export function resultLayout(
  batch: BatchRecord,
  survey: Pick<Survey, 'cellsMax' | 'messageRows' | 'refundedRows' | 'contradictedRows' | 'paidTwiceRows'>,
): ResultLayout {
  const [hasMessages, hasRefunds] = [survey.messageRows > 0, survey.refundedRows > 0];
  const upToInput = [...resultColumns, ...inputColumns(batch, survey)];
  const hasContradicted = survey.contradictedRows > 0;
  const hasSeconds = survey.paidTwiceRows > 0;
  const after = [
    ...(hasMessages ? [messageColumn] : []),
    ...placeColumns,
    ...(hasRefunds ? refundColumns : []),
    ...(hasContradicted ? [contradictedColumn] : []),
    ...(hasSeconds ? [secondColumn] : []),
  ];
  return {
    names: [...upToInput, ...after],
    upToInput: upToInput.length,
    hasMessages,
    hasRefunds,
    hasContradicted,
    hasSeconds,
  };
}

/** The cells of a row in the order of a layout. */
export function resultCells(
  { values, input, message, place, refund, contradicted, second }: ResultLine,
  { upToInput, hasMessages, hasRefunds, hasContradicted, hasSeconds }: ResultLayout,
): (string | number | null)[] {
  const cells = [...values];
  for (const cell of input) cells.push(cell);
  while (cells.length < upToInput) cells.push(null);
  if (hasMessages) cells.push(message);
  cells.push(...place);
  if (hasRefunds) for (const name of refundColumns) cells.push(refund?.[name] ?? null);
  if (hasContradicted) cells.push(contradicted);
  if (hasSeconds) cells.push(second);
  return cells;
}

/** The text of results.csv: one line for every row of the file, in file order. */
export async function* resultsCsv(
  view: Queryable,
  batch: BatchRecord,
  survey: Pick<Survey, 'cellsMax' | 'messageRows' | 'refundedRows' | 'contradictedRows' | 'paidTwiceRows'>,
  options: { mask: boolean },
): AsyncGenerator<string> {
  const layout = resultLayout(batch, survey);
  yield csvText([layout.names]);
  for await (const page of rowPages(view, batch.batch_id))
    yield csvText(page.map((row) => resultCells(resultLine(batch, row, options), layout)));
}
