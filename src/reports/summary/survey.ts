import { Sums } from '../../core/money/money.ts';
import { isOverdue } from '../../core/state/overdue.ts';
import { type RowState, rowStates } from '../../core/state/row-state.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import type { ReportedRow } from '../../ledger/reporting/reported-rows.ts';
import { backOf } from './refunds.ts';
import { balanceAfter, columnsOf, inputOf, problemsOf, rowPages } from './stored.ts';
import type { Failures } from './summary-shape.ts';
import { makeTimelineGatherer, type Timeline } from './timeline.ts';

/** The result of one pass over a batch's rows: everything that reports need before their first line. */
export type Survey = ReturnType<typeof emptySurvey>;

function emptySurvey(batch: BatchRecord) {
  return {
    rows: 0,
    /** Every state is present. */
    counts: Object.fromEntries(rowStates.map((state) => [state, 0])) as Record<RowState, number>,
    /** The requested amounts, by state and currency. Rows that buy a product have none. */
    requested: new Map<RowState, Sums>(),
    /** What the wallets were charged, by state and currency. */
    charged: new Map<RowState, Sums>(),
    productRows: 0,
    productsPaid: 0,
    /** Rows with a text message for the recipient. */
    messageRows: 0,
    /** Completed rows for which the service reported no cost. */
    costUnknownRows: 0,
    /** Completed rows that were refunded, and the amounts if reported. */
    refundedRows: 0,
    refunded: new Sums(),
    /** Refunds up to the second reading of the wallets, in the wallets' currencies. */
    refundedByReading: new Sums(),
    /** The first of those rows, as many as a page lists. */
    refundedFirst: [] as ReportedRow[],
    /** Failed rows that the service contradicts: they count as paid. */
    contradictedRows: 0,
    contradictedProducts: 0,
    contradictedRequested: new Sums(),
    /** Rows that may have been paid twice: how many, and the first of them. */
    paidTwiceRows: 0,
    paidTwiceFirst: [] as ReportedRow[],
    /** How often each problem occurs in rows that it keeps from being sent. */
    problems: new Map<string, number>(),
    /** Failed rows by the service's code, except contradicted ones. */
    failures: new Map<string, Failures>(),
    /** When the oldest row in doubt was first sent (epoch ms), or null. */
    oldestDoubtAt: null as number | null,
    /** Rows in doubt that are not looked up any more: only a person can resolve them. */
    doubtsLeftToPerson: 0,
    /** Overdue accepted rows: how many, their amounts, and when the first was sent (epoch ms). */
    overdueRows: 0,
    overdueRequested: new Sums(),
    oldestOverdueAt: null as number | null,
    /** When rows ended; null if none has. */
    timeline: null as Timeline | null,
    /** The most cells of any line of the file, which may be more than the header has. */
    cellsMax: columnsOf(batch).length,
  };
}

/** The most rows of each kind that report.html lists; the files have all of them. */
export const listedRowsMax = 50;

/** A cancelled row keeps the problems for which it was held, but is not sent for another reason. */
const statesOfProblems: readonly RowState[] = ['invalid', 'held', 'skipped'];

/** The code under which failures without a code are counted. */
export const noFailureCode = 'UNKNOWN';

/** A failure code for people: the service may give none. */
export function failureName(code: string): string {
  return code === noFailureCode ? 'no code given' : code;
}

export async function surveyRows(view: Queryable, batch: BatchRecord): Promise<Survey> {
  const survey = emptySurvey(batch);
  const ends = makeTimelineGatherer();
  const readAt = balanceAfter(batch)?.readAt ?? null;
  for await (const page of rowPages(view, batch.batch_id)) {
    for (const row of page) {
      surveyRow(survey, row, readAt);
      const ended = row.status === 'completed' || row.status === 'failed' ? row.completed_at : null;
      if (ended !== null) ends.add(row.status as 'completed' | 'failed', ended);
    }
  }
  return { ...survey, timeline: ends.timeline() };
}

/** `readAt`: when the wallets were read for the second time (epoch ms); null if they were not. */
function surveyRow(survey: Survey, row: ReportedRow, readAt: number | null): void {
  survey.rows += 1;
  survey.counts[row.status] += 1;
  survey.cellsMax = Math.max(survey.cellsMax, inputOf(row).length);
  if (statesOfProblems.includes(row.status))
    for (const { code } of problemsOf(row)) survey.problems.set(code, (survey.problems.get(code) ?? 0) + 1);
  if (row.sms_message !== null) survey.messageRows += 1;
  if (row.status === 'invalid') return;
  if (row.amount !== null) sumsOf(survey.requested, row.status).add(row.currency ?? '', row.amount);
  if (row.product_id !== null && row.status !== 'skipped') survey.productRows += 1;
  if (row.product_id !== null && row.status === 'completed') survey.productsPaid += 1;
  if (row.cost !== null) sumsOf(survey.charged, row.status).add(row.cost_currency ?? '', row.cost);
  else if (row.status === 'completed') survey.costUnknownRows += 1;
  if (row.status === 'completed' && row.refunded_at !== null) {
    survey.refundedRows += 1;
    if (survey.refundedFirst.length < listedRowsMax) survey.refundedFirst.push(row);
    if (row.refund_amount !== null) survey.refunded.add(row.refund_currency ?? '', row.refund_amount);
    if (readAt !== null && row.refunded_at <= readAt) surveyRefund(survey.refundedByReading, row);
  }
  if (row.second_topup_id !== null) {
    survey.paidTwiceRows += 1;
    if (survey.paidTwiceFirst.length < listedRowsMax) survey.paidTwiceFirst.push(row);
  }
  if (isContradicted(row)) {
    survey.contradictedRows += 1;
    if (row.amount === null) survey.contradictedProducts += 1;
    else survey.contradictedRequested.add(row.currency ?? '', row.amount);
  } else if (row.status === 'failed') {
    const code = row.failure_code ?? noFailureCode;
    const known = survey.failures.get(code) ?? { rows: 0, reason: row.failure_reason, other_reasons: 0 };
    known.rows += 1;
    if (known.reason !== row.failure_reason) known.other_reasons += 1;
    survey.failures.set(code, known);
  }
  if (isLeftToPerson(row)) survey.doubtsLeftToPerson += 1;
  if (row.status === 'in_doubt') survey.oldestDoubtAt = earlier(survey.oldestDoubtAt, row.first_sent_at);
  if (!isOverdue(row)) return;
  survey.overdueRows += 1;
  if (row.amount !== null) survey.overdueRequested.add(row.currency ?? '', row.amount);
  survey.oldestOverdueAt = earlier(survey.oldestOverdueAt, row.first_sent_at);
}

/** Only refunds in the currency of the charge reduce what the wallet lost. */
function surveyRefund(sums: Sums, { cost, cost_currency, refund_amount, refund_currency }: ReportedRow): void {
  if (cost === null || refund_amount === null || refund_currency !== cost_currency) return;
  sums.add(cost_currency ?? '', backOf(cost, refund_amount));
}

function earlier(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** Whether a row has failed in the ledger, but not at the service. */
export function isContradicted({ status, contradicted }: Pick<ReportedRow, 'status' | 'contradicted'>): boolean {
  return status === 'failed' && contradicted !== null;
}

/** Whether a row is in doubt and not looked up any more (`engine/doubts/doubts.ts`): only a person can resolve it. */
export function isLeftToPerson({ status, next_action_at }: ReportedRow): boolean {
  return status === 'in_doubt' && next_action_at === null;
}

function sumsOf(byState: Map<RowState, Sums>, state: RowState): Sums {
  const sums = byState.get(state) ?? new Sums();
  byState.set(state, sums);
  return sums;
}
