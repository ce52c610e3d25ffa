import { compareAmounts, Sums, subtractAmounts, sumOf } from '../../core/money/money.ts';
import { type RowState, rowStates } from '../../core/state/row-state.ts';
import { pauseDetail, pausesText } from '../../core/state/state-texts.ts';
import { isoOrNull, isoTime } from '../../core/time/clock.ts';
import { approvalsOf } from '../../ledger/batches/approvals.ts';
import { type BatchRecord, embeddedSandboxService } from '../../ledger/batches/batches.ts';
import { openPauses, type PauseRecord } from '../../ledger/batches/pauses.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { walkChain } from '../../ledger/reporting/chain-walk.ts';
import { countPaidUnsent } from '../../ledger/reporting/contradictions.ts';
import { takenBackRows } from '../../ledger/reporting/counts-as-paid.ts';
import { costsOfBatch } from '../../ledger/rows/costs.ts';
import { activeMs } from './active-time.ts';
import { proveBalance } from './balance-proof.ts';
import { type Refunds, refundsOfFailed } from './refunds.ts';
import type { AmountsByCurrency, BatchSummary } from './summary-shape.ts';
import { type Survey, surveyRows } from './survey.ts';

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
  const approvals = await approvalsOf(view, batch.batch_id);
  const byReading = sumOf([survey.refundedByReading.toObject(), back.byReading.toObject()]);
  return {
    ...identityOf(batch, await openPauses(view, batch)),
    approvals: {
      needed: batch.approvals_needed,
      given: approvals.map(({ person, approved_at }) => ({ person, at: isoTime(approved_at) })),
    },
    ...requestsOf(survey),
    charged: {
      total: charged,
      completed: sumOver(survey.charged, ['completed']),
      by_status: byStatus(survey.charged),
      earlier,
      earlier_came_back: back.earlier.toObject(),
      rows_without_cost: survey.costUnknownRows,
    },
    ...doubtsOf(survey, {
      not_sent: await countPaidUnsent(view, batch.batch_id),
      taken_back: (await takenBackRows(view, batch.batch_id)).size,
    }),
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
function doubtsOf(survey: Survey, { not_sent, taken_back }: Record<'not_sent' | 'taken_back', number>) {
  const { counts } = survey;
  return {
    refunded: { rows: survey.refundedRows, amounts: survey.refunded.toObject() },
    contradicted: {
      rows: survey.contradictedRows,
      with_product: survey.contradictedProducts,
      requested: survey.contradictedRequested.toObject(),
      ...(not_sent === 0 ? {} : { not_sent }),
      ...(taken_back === 0 ? {} : { taken_back }),
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

function byStatus(byState: Survey['requested']): Record<string, AmountsByCurrency> {
  const present = rowStates.filter((state) => byState.has(state));
  return Object.fromEntries(present.map((state) => [state, byState.get(state)?.toObject() ?? {}]));
}

function sorted<Value>(map: ReadonlyMap<string, Value>): [string, Value][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
