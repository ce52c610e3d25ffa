import { compareAmounts, Sums, subtractAmounts } from '../../core/money/money.ts';
import type { BatchState, PauseReason } from '../../core/state/batch-state.ts';
import { type RowState, rowStates } from '../../core/state/row-state.ts';
import { pauseDetail, pausesText } from '../../core/state/state-texts.ts';
import { isoOrNull, isoTime } from '../../core/time/clock.ts';
import { type BatchRecord, embeddedSandboxService } from '../../ledger/batches/batches.ts';
import { openPauses, type PauseRecord } from '../../ledger/batches/pauses.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { walkChain } from '../../ledger/reporting/chain-walk.ts';
import { costsOfBatch } from '../../ledger/rows/costs.ts';
import { activeMs } from './active-time.ts';
import { approvalsFor, type SummaryApprovals } from './approvals.ts';
import { type BalanceProof, proveBalance } from './balance-proof.ts';
import { type Refunds, refundsOfFailed } from './refunds.ts';
import { type Failures, type Survey, surveyRows } from './survey.ts';

/** Amounts by currency code, as canonical decimal texts ("1250.5"): read them as decimals, not as floats. */
export type AmountsByCurrency = Record<string, string>;

/**
 * The content of `summary.json`. Within a `format` its shape is stable: fields may be added, none changes its meaning.
 * Times are ISO 8601 in UTC with milliseconds; objects whose keys are data are in alphabetical order.
 */
export interface BatchSummary {
  format: 'airbatch.summary/1';
  batch_id: string;
  run_id: string;
  account: string;
  /** Where the money went: the service's base URL, or the embedded sandbox. */
  service: string;
  /** True if no real money moved. */
  sandbox: boolean;
  status: BatchState;
  /** Why a paused batch is paused: the code of the first reason, and its detail, which names any other reasons too. */
  pause: { reason: PauseReason; detail: string | null } | null;
  /** Why the file was rejected, in a sentence. */
  rejection: string | null;
  file_name: string;
  /** SHA-256 (hex) of the file's bytes. */
  input_sha256: string | null;
  /** SHA-256 (hex) of the rows as validated, whatever the file's format. An approval is bound to it. */
  content_sha256: string | null;
  /** Name and version of the program that created the batch. */
  program: string;
  created_by: string;
  approved_by: string | null;
  approvals: SummaryApprovals;
  rows: {
    /** Rows of the file; `by_status` adds up to it. */
    total: number;
    /** Rows that are neither invalid nor skipped: total = valid + invalid + skipped. */
    valid: number;
    /** Every state of a row; 0 if no row has it. */
    by_status: Record<RowState, number>;
    /** Valid rows that buy a product. The service sets the price, so `requested` does not include them. */
    with_product: number;
    /** Those of them that are completed. */
    with_product_completed: number;
  };
  /** The amounts that the rows request, in the recipients' currencies. */
  requested: { valid: AmountsByCurrency; completed: AmountsByCurrency; by_status: Record<string, AmountsByCurrency> };
  /** What the wallets were charged, in the wallets' currencies, as the service reports it for each row. */
  charged: {
    total: AmountsByCurrency;
    completed: AmountsByCurrency;
    by_status: Record<string, AmountsByCurrency>;
    /** For failed payments of rows that were retried since: included in `total`, and in no row. */
    earlier: AmountsByCurrency;
    /** The reported refunds of `earlier`; `total` still includes them. */
    earlier_came_back: AmountsByCurrency;
    /** Completed rows for which the service reported no cost: the sums do not include them. */
    rows_without_cost: number;
  };
  /** Completed rows that were refunded, and the amounts if the service reported them. */
  refunded: { rows: number; amounts: AmountsByCurrency };
  /**
   * Failed rows of which the service has said since that the payment has not failed. They count as paid, and must not
   * be sent again. `rows.by_status` and `requested.by_status` include them as failed, `failures` does not.
   */
  contradicted: { rows: number; with_product: number; requested: AmountsByCurrency };
  /** Rows with a second payment at the service that has not failed; with both ids for the first of them. */
  paid_twice: { rows: number; first: { row: number; topup_id: string | null; second_topup_id: string | null }[] };
  /**
   * Money whose fate is unknown: no timer ever makes it failed. `left_to_person`: how many of these rows are not looked
   * up any more.
   */
  in_doubt: { rows: number; left_to_person: number; requested: AmountsByCurrency; oldest_sent_at: string | null };
  /** Accepted rows whose delivery is overdue. airbatch keeps asking about them, and a person may resolve them. */
  overdue: { rows: number; requested: AmountsByCurrency; oldest_sent_at: string | null };
  balance: BalanceProof;
  times: {
    created_at: string;
    approved_at: string | null;
    started_at: string | null;
    completed_at: string | null;
    /**
     * By when every row should have ended, and whether it had; null if no time was set, or if the batch has not ended.
     */
    finish_by: string | null;
    in_time: boolean | null;
    /** From start to completion, in milliseconds. */
    duration_ms: number | null;
    /** How long of that payments were sent or followed, in milliseconds: without gaps, such as before a retry. */
    active_ms: number | null;
  };
  /** How often each problem occurs in all rows, by its code. */
  problems: Record<string, number>;
  /**
   * Failed rows by the service's code, with the reason of the first of them; `other_reasons`: how many have another
   * reason.
   */
  failures: Record<string, Failures>;
  /**
   * The end of the batch's audit chain when this summary was made. `broken`: the first fault of the chain; missing if
   * it is intact.
   */
  audit: { events: number; head: string; broken?: string | undefined };
}

/** The states of valid rows. */
const validStates = rowStates.filter((state) => state !== 'invalid' && state !== 'skipped');

/**
 * Makes the summary of a batch from the ledger. Rejects with `BATCH_UNKNOWN`. While the batch is open, call it on a
 * snapshot.
 */
export async function batchSummary(view: Queryable, batchId: string): Promise<BatchSummary> {
  const batch = await requireBatch(view, batchId);
  return summaryOf(view, batch, await surveyRows(view, batch));
}

/** The summary of a batch whose rows have been surveyed. */
export async function summaryOf(view: Queryable, batch: BatchRecord, survey: Survey): Promise<BatchSummary> {
  const ofRows = sumOver(survey.charged, rowStates);
  const earlier = await chargedEarlier(view, batch, ofRows);
  const charged = sumOf([ofRows, earlier]);
  const back = await refunds(view, batch, { survey, earlier });
  const { broken } = await walkChain(view, batch);
  const byReading = sumOf([survey.refundedByReading.toObject(), back.byReading.toObject()]);
  return {
    ...identityOf(batch, await openPauses(view, batch)),
    approvals: await approvalsFor(view, batch),
    ...requestsOf(survey),
    charged: {
      total: charged,
      completed: sumOver(survey.charged, ['completed']),
      by_status: byStatus(survey.charged),
      earlier,
      earlier_came_back: back.earlier.toObject(),
      rows_without_cost: survey.costUnknownRows,
    },
    ...doubtsOf(survey),
    balance: await proveBalance(view, batch, { charged, refunds: byReading }),
    times: await timesOf(view, batch),
    problems: Object.fromEntries(sorted(survey.problems)),
    failures: Object.fromEntries(sorted(survey.failures)),
    audit: { events: batch.audit_seq, head: batch.audit_head, ...(broken === null ? {} : { broken }) },
  };
}

/** The parts of a summary that do not depend on the rows. */
function identityOf(batch: BatchRecord, pauses: readonly PauseRecord[]) {
  return {
    format: 'airbatch.summary/1',
    batch_id: batch.batch_id,
    run_id: batch.run_id,
    account: batch.account,
    service: batch.service,
    sandbox: batch.service === embeddedSandboxService,
    status: batch.status,
    pause: pauseOf(pauses),
    rejection: batch.rejection,
    file_name: batch.file_name,
    input_sha256: batch.file_sha256,
    content_sha256: batch.content_sha256,
    program: batch.program,
    created_by: batch.created_by,
    approved_by: batch.approved_by,
  } satisfies Partial<BatchSummary>;
}

function requestsOf(survey: Survey) {
  const { counts } = survey;
  return {
    rows: {
      total: survey.rows,
      valid: survey.rows - counts.invalid - counts.skipped,
      by_status: counts,
      with_product: survey.productRows,
      with_product_completed: survey.productsPaid,
    },
    requested: {
      valid: sumOver(survey.requested, validStates),
      completed: sumOver(survey.requested, ['completed']),
      by_status: byStatus(survey.requested),
    },
  } satisfies Partial<BatchSummary>;
}

/** The parts of a summary that a person should look at. */
function doubtsOf(survey: Survey) {
  const { counts } = survey;
  return {
    refunded: { rows: survey.refundedRows, amounts: survey.refunded.toObject() },
    contradicted: {
      rows: survey.contradictedRows,
      with_product: survey.contradictedProducts,
      requested: survey.contradictedRequested.toObject(),
    },
    paid_twice: {
      rows: survey.paidTwiceRows,
      first: survey.paidTwiceFirst.map(({ row_no: row, topup_id, second_topup_id }) => ({
        row,
        topup_id,
        second_topup_id,
      })),
    },
    in_doubt: {
      rows: counts.in_doubt,
      left_to_person: survey.doubtsLeftToPerson,
      requested: sumOver(survey.requested, ['in_doubt']),
      oldest_sent_at: isoOrNull(survey.oldestDoubtAt),
    },
    overdue: {
      rows: survey.overdueRows,
      requested: survey.overdueRequested.toObject(),
      oldest_sent_at: isoOrNull(survey.oldestOverdueAt),
    },
  } satisfies Partial<BatchSummary>;
}

function pauseOf([first, ...others]: readonly PauseRecord[]): BatchSummary['pause'] {
  if (first === undefined) return null;
  const detail = pauseDetail(first.reason, first.detail);
  if (others.length === 0) return { reason: first.reason, detail };
  return {
    reason: first.reason,
    detail: [...(detail ? [detail] : []), `also ${pausesText(others)}`].join('; '),
  };
}

async function timesOf(view: Queryable, batch: BatchRecord): Promise<BatchSummary['times']> {
  const durationMs =
    batch.started_at === null || batch.completed_at === null ? null : batch.completed_at - batch.started_at;
  return {
    created_at: isoTime(batch.created_at),
    approved_at: isoOrNull(batch.approved_at),
    started_at: isoOrNull(batch.started_at),
    completed_at: isoOrNull(batch.completed_at),
    finish_by: isoOrNull(batch.finish_by),
    in_time: batch.finish_by === null || batch.completed_at === null ? null : batch.completed_at <= batch.finish_by,
    duration_ms: durationMs,
    active_ms: durationMs === null ? null : await activeMs(view, batch.batch_id),
  };
}

/** Charges of a batch that none of its rows has any more. */
async function chargedEarlier(
  view: Queryable,
  batch: BatchRecord,
  ofRows: AmountsByCurrency,
): Promise<AmountsByCurrency> {
  const earlier: AmountsByCurrency = {};
  for (const [currency, kept] of await costsOfBatch(view, batch.batch_id)) {
    const rest = subtractAmounts(kept, ofRows[currency] ?? '0');
    if (compareAmounts(rest, '0') > 0) earlier[currency] = rest;
  }
  return earlier;
}

/** The history is read only if it may contain refunds. */
async function refunds(
  view: Queryable,
  batch: BatchRecord,
  { survey, earlier }: { survey: Survey; earlier: AmountsByCurrency },
): Promise<Refunds> {
  const ofFailed = sumOver(survey.charged, ['failed']);
  const mayHaveRefunds = [earlier, ofFailed].some((amounts) => Object.values(amounts).some((value) => value !== '0'));
  return mayHaveRefunds ? refundsOfFailed(view, batch) : { earlier: new Sums(), byReading: new Sums() };
}

function sumOver(byState: Survey['requested'], states: readonly RowState[]): AmountsByCurrency {
  return sumOf(states.map((state) => byState.get(state)?.toObject() ?? {}));
}

function sumOf(parts: readonly AmountsByCurrency[]): AmountsByCurrency {
  const total = new Sums();
  for (const part of parts) for (const [currency, value] of Object.entries(part)) total.add(currency, value);
  return total.toObject();
}

function byStatus(byState: Survey['requested']): Record<string, AmountsByCurrency> {
  const present = rowStates.filter((state) => byState.has(state));
  return Object.fromEntries(present.map((state) => [state, byState.get(state)?.toObject() ?? {}]));
}

function sorted<Value>(map: ReadonlyMap<string, Value>): [string, Value][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
