import { z } from 'zod';
import { idempotencyKey } from '../../core/identity/ids.ts';
import { waitingReason } from '../../core/state/doubt-texts.ts';
import { generationsMax } from '../../core/state/earlier-payment.ts';
import { rowStates } from '../../core/state/row-state.ts';
import { withoutNumbers } from '../../core/text/redact.ts';
import { isoOrNull } from '../../core/time/clock.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { pageReportedIn, type ReportedRow } from '../../ledger/reporting/reported-rows.ts';
import { payersOf, sharesRun } from '../../ledger/reporting/shared-rows.ts';
import { doubtReasonsOf } from '../../ledger/rows/doubts.ts';
import { failureOf, sentAtOf } from '../../reports/render/results.ts';
import { personOf } from '../../reports/summary/stored.ts';
import { isContradicted } from '../../reports/summary/survey.ts';
import { maskNumbers, maskPhone, maskRowRef } from '../../reports/text/mask.ts';
import type { Session } from '../../runtime/session/session.ts';
import { noteNumberSearch } from '../access/complete-numbers.ts';
import { afterNo, batchId, pageSize, rowNo, rowStatus, stableReason, time } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { isNumberSearch, rowFilter } from './row-filter.ts';

/** Rows read at once: a few milliseconds of work, after which other work has its turn. */
const rowsPerRead = 1_000;
/** The most rows that one call reads, so that it answers within a second: a rare text may take several calls. */
const rowsReadMax = 100_000;

const generations = Array.from({ length: generationsMax }, (_, index) => index + 1);

const text = z.string().nullable();

const input = z.strictObject({
  batch_id: batchId,
  /** Only rows in one of these states. */
  status: z.array(rowStatus).min(1).optional(),
  /** Only rows with this text in the row ref or the name, with these last digits (4 at most), or with this number. */
  find: z.string().trim().min(1).max(100).optional(),
  /** Only rows with this code: of a problem, or of a failure at the service. */
  code: z.string().trim().min(1).max(100).optional(),
  /** `next` of the previous page. */
  after: afterNo,
  limit: pageSize(100, 1_000),
});

/** A row as a list shows it. */
export const listedRow = z.strictObject({
  row_no: rowNo,
  /** Where the row begins in its file. */
  line: z.int(),
  /** Null if it was derived from the row's content, because the number could be found from it. */
  row_ref: text,
  status: rowStatus,
  /** Masked: `2********118`. */
  phone_number: text,
  /** The name in the file; null if the file has none. */
  person: text,
  network_id: z.int().nullable(),
  amount: text,
  currency: text,
  product_id: text,
  generation: z.int(),
  /** The service's id of the payment. */
  topup_id: text,
  /** The service's own last status. */
  service_status: text,
  /** The service's code, or the codes of the row's problems. */
  code: text,
  /** Why the row is not paid, or waits: the service's message, or the row's problems. */
  reason: text,
  /** Says the same as `reason` of a row that was sent and has no result yet. */
  waiting_reason: stableReason,
  cost: text,
  cost_currency: text,
  sent_at: time.nullable(),
  completed_at: time.nullable(),
  /** When a row in doubt was first sent. */
  in_doubt_since: time.nullable(),
  /** The service's present status of the payment of a failed row that counts as paid. */
  contradicted: text,
  /** Another batch of the run that has paid the row. */
  paid_by: batchId.nullable(),
});

/** Lists the rows of a batch in file order, page by page, with masked numbers. */
export const listRows = defineOperation({
  name: 'list-rows',
  role: 'audit',
  ledger: 'change',
  input,
  result: z.strictObject({
    batch_id: batchId,
    /** A page may have fewer rows than `limit`, or none, and not be the last one: `next` says that. */
    rows: z.array(listedRow),
    /** Null after the last page. */
    next: z.int().nullable(),
  }),
  async run({ session }, query) {
    const { db } = session;
    const batch = await requireBatch(db, query.batch_id);
    if (isNumberSearch(query.find)) await noteNumberSearch(session, { batch_id: batch.batch_id });
    const { rows, next } = await findRows(session, batch, query);
    const { batch_id } = batch;
    const payers = await payersOfRows(db, batch, rows);
    const doubts = await doubtReasonsOf(db, batch_id, [rows[0]?.row_no ?? 0, rows.at(-1)?.row_no ?? 0]);
    const shown = rows.map((row) => ({
      ...listed(batch, row, doubts.get(row.row_no) ?? null),
      paid_by: payers.get(row) ?? null,
    }));
    return { batch_id, rows: shown, next };
  },
});

/** Reads until a page is full, or enough is read for one call. */
async function findRows(
  { db, clock }: Session,
  batch: BatchRecord,
  { status = [...rowStates], find, code, after, limit }: z.output<typeof input>,
): Promise<{ rows: ReportedRow[]; next: number | null }> {
  const isWanted = rowFilter(batch, { find, code });
  const perRead = find === undefined && code === undefined ? limit : rowsPerRead;
  const rows: ReportedRow[] = [];
  let last = after;
  for (let read = 0; read < rowsReadMax; read += perRead) {
    const page = await pageReportedIn(db, batch.batch_id, status, last, perRead);
    for (const row of page) {
      last = row.row_no;
      if (isWanted(row)) rows.push(row);
      if (rows.length === limit) return { rows, next: last };
    }
    if (page.length < perRead) return { rows, next: null };
    await clock.turn();
  }
  return { rows, next: last };
}

/** The fields of `listedRow` that the row itself has. `doubt`: why it was left to a person. */
export function listed(batch: BatchRecord, row: ReportedRow, doubt: string | null) {
  const { row_ref, phone_number, status } = row;
  const { network_id, amount, currency, product_id, generation, topup_id, service_status, cost, cost_currency } = row;
  const { code, reason } = failureOf(row);
  const person = personOf(batch, row, { mask: false });
  const sentAt = isoOrNull(sentAtOf(row));
  return {
    row_no: row.row_no,
    line: row.line,
    row_ref: row_ref && maskRowRef(row_ref, phone_number),
    status,
    phone_number: phone_number && maskPhone(phone_number),
    person: person && maskNumbers(person),
    ...{ network_id, amount, currency, product_id, generation, topup_id, service_status },
    code,
    // Dates and the ids of batches stay.
    reason: reason && withoutNumbers(reason),
    waiting_reason: waitingReason(row, doubt),
    ...{ cost, cost_currency },
    sent_at: sentAt,
    completed_at: isoOrNull(row.completed_at),
    in_doubt_since: status === 'in_doubt' ? sentAt : null,
    contradicted: isContradicted(row) ? row.contradicted : null,
  };
}

/** Which other batches have paid these rows. Each key of a row is bound to the batch that has sent it. */
async function payersOfRows(
  db: Queryable,
  batch: BatchRecord,
  rows: readonly ReportedRow[],
): Promise<Map<ReportedRow, string>> {
  const found = new Map<ReportedRow, string>();
  if (!(await sharesRun(db, batch))) return found;
  const { batch_id, account, run_id: runId } = batch;
  const keysOf = ({ row_ref: rowRef, status }: ReportedRow) =>
    rowRef === null || status === 'completed'
      ? []
      : generations.map((generation) => idempotencyKey({ account, runId, rowRef, generation }));
  const keys = new Map(rows.map((row) => [row, keysOf(row)]));
  const payers = await payersOf(db, [...keys.values()].flat());
  for (const [row, some] of keys) {
    const payer = some.map((key) => payers.get(key)).find((one) => one !== undefined && one !== batch_id);
    if (payer !== undefined) found.set(row, payer);
  }
  return found;
}
