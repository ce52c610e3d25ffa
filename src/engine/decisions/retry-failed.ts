import { AirbatchError } from '../../core/basics/errors.ts';
import { refusal } from '../../core/basics/refusal.ts';
import { can, isRetried } from '../../core/state/batch-state.ts';
import { generationsMax, isDoubtfulEnd } from '../../core/state/earlier-payment.ts';
import type { Gateway, LookupOutcome } from '../../gateway/contract/gateway.ts';
import { type Actor, inUnitOf } from '../../ledger/actor.ts';
import { type BatchRecord, findBatch } from '../../ledger/batches/batches.ts';
import { requireBatch, wrongState } from '../../ledger/batches/require-batch.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { findPayment } from '../../ledger/rows/payments.ts';
import { writeRefund } from '../../ledger/rows/refunds.ts';
import { namedEnds } from '../../ledger/rows/row-decisions.ts';
import { findRow, pagesInState, type RowRecord } from '../../ledger/rows/rows.ts';
import { inUnit } from '../../ledger/unit-of-work.ts';
import { type EarlierGenerations, lookupGenerations, nameEnds } from '../doubts/earlier-generations.ts';
import { noteArrived } from '../doubts/failed-before.ts';
import { type RequestDeps, requestWithRetryAfter } from '../pacing/request-with-retry-after.ts';
import { isOwnPayment, noteDifference } from '../payments/late-differences.ts';
import { nextGeneration } from '../payments/next-generation.ts';
import { paymentNames } from '../payments/payment-request.ts';

/** Rows read from the ledger at once. */
const rowsPerPage = 200;

/** The result of a retry. */
export interface RetryResult {
  retried: number;
  /** Rows whose earlier payments the service did not answer about: they stay failed, and can be retried again. */
  unanswered: number;
  /** Rows that stay failed, and why. */
  kept: { row: number; why: string }[];
}

/** Which failed rows are retried. */
export interface RetryWhat {
  /** Only rows with these failure codes; empty: all failed rows. */
  codes: readonly string[];
  /** Only rows that were retried less often than this; left out: up to the general limit. */
  timesMax?: number | undefined;
}

/** When a retry without a person watching stops, and leaves the remaining rows for later. */
export interface RetryPatience {
  /** Stops after this many consecutive rows whose lookups got no answer: each may take a whole deadline. */
  unansweredMax?: number | undefined;
  /** Stops when this signal is aborted. */
  ending?: AbortSignal;
}

/** The service, which a retry asks about earlier payments. */
export interface RetryService extends Pick<RequestDeps, 'limiter' | 'onWait'> {
  gateway: Gateway;
}

/**
 * Opens the next generation of failed rows: all of them, or those with these failure codes. Every earlier reference is
 * looked up first, because a payment that has not failed at the service forbids another one. If the service answers
 * 429, the account waits.
 */
export async function retryFailed(
  actor: Actor,
  service: RetryService,
  batchId: string,
  what: RetryWhat,
  { unansweredMax = Number.POSITIVE_INFINITY, ending }: RetryPatience = {},
): Promise<RetryResult> {
  const batch = await requireBatch(actor.db, batchId);
  if (!isRetried(batch.status)) throw wrongState(batch, 'nothing of it was sent');
  if (batch.forgotten_at !== null)
    throw new AirbatchError('BATCH_STATE', `the people of batch ${batchId} were forgotten`, {
      reason: refusal('BATCH_FORGOTTEN', {}),
    });
  const { codes } = what;
  const result: RetryResult = { retried: 0, unanswered: 0, kept: [] };
  let unansweredInARow = 0;
  for await (const row of rowsToRetry(actor.db, batchId, what)) {
    if (ending?.aborted || unansweredInARow >= unansweredMax) return result;
    const looked = await lookAtFailed(actor, service, batch, row, codes);
    const isUnanswered = looked.kind === 'kept' && looked.isUnanswered;
    unansweredInARow = isUnanswered ? unansweredInARow + 1 : 0;
    if (isUnanswered) result.unanswered += 1;
    if (looked.kind === 'kept') result.kept.push({ row: row.row_no, why: looked.why });
    else if (await openNextGeneration(actor, row, { codes, failed: looked })) result.retried += 1;
    else result.kept.push({ row: row.row_no, why: 'it changed meanwhile' });
  }
  return result;
}

/** The failed rows of a batch that a retry considers, in file order. */
export async function* rowsToRetry(
  db: Queryable,
  batchId: string,
  { codes, timesMax = Number.POSITIVE_INFINITY }: RetryWhat,
): AsyncGenerator<RowRecord> {
  for await (const rows of pagesInState(db, batchId, 'failed', rowsPerPage))
    for (const row of rows) {
      const reasons = [row.failure_code ?? '', row.service_status ?? ''];
      if (row.generation <= timesMax && (codes.length === 0 || reasons.some((one) => codes.includes(one)))) yield row;
    }
}

/** Why a row stays failed. */
interface Kept {
  kind: 'kept';
  why: string;
  /** Whether the service did not answer about an earlier payment, so that its state is unknown. */
  isUnanswered: boolean;
}

const keptFor = (why: string): Kept => ({ kind: 'kept', why, isUnanswered: false });

type Failed = Extract<EarlierGenerations, { kind: 'failed' }>;

/** Looks up all payments of a row at the service. Returns them if each has failed, or why the row stays failed. */
async function lookAtFailed(
  { db, clock, person, through }: Actor,
  service: RetryService,
  batch: BatchRecord,
  row: RowRecord,
  codes: readonly string[],
): Promise<Failed | Kept> {
  const lastStatus = row.service_status ?? '';
  if (isDoubtfulEnd(row.service_status) && !codes.includes(lastStatus)) {
    const why = `the service says ${lastStatus}: it may have arrived. Ask the recipient; where nothing came, retry with --code ${lastStatus}`;
    return keptFor(why);
  }
  const named = [...codes, ...(await namedEnds(db, row))];
  if (row.generation >= generationsMax) return keptFor(`it was tried ${row.generation} times, which is the maximum`);
  const next = await findPayment(db, paymentNames(batch, row, row.generation + 1).key);
  const isOthers = next && (next.batch_id !== row.batch_id || next.row_no !== row.row_no);
  if (isOthers) return keptFor(`batch ${next.batch_id}, row ${next.row_no} has tried it again since`);
  const { gateway, ...asking } = service;
  const ask = (question: () => Promise<LookupOutcome>) => requestWithRetryAfter({ ...asking, clock }, 'read', question);
  const deps = { db, clock, gateway, ask };
  const earlier = await lookupGenerations(deps, batch, row, { lastGeneration: row.generation, named });
  if (earlier.kind === 'unread') {
    const why = `its earlier payment ${earlier.reference} could not be looked up (${earlier.problem.evidence.code})`;
    return { kind: 'kept', why, isUnanswered: true };
  }
  if (earlier.kind === 'doubtful') {
    const { reference, serviceStatus } = earlier;
    const both = [...new Set([row.failure_code ?? lastStatus, serviceStatus])]
      .map((code) => `--code ${code}`)
      .join(' ');
    const why = `the service says ${serviceStatus} of ${reference}: it may have arrived. Ask the recipient; where nothing came, retry with ${both}`;
    return keptFor(why);
  }
  if (earlier.kind === 'live') {
    await inUnit(db, { clock, actor: person, through }, async (unit) => {
      const current = await findRow(unit.tx, row.batch_id, row.row_no);
      if (current?.status === 'failed') await noteArrived(unit, batch, current, earlier);
    });
    return keptFor(`the service says that ${earlier.reference} is ${earlier.serviceStatus}: it may be paid`);
  }
  return earlier;
}

async function openNextGeneration(
  actor: Actor,
  row: RowRecord,
  { codes, failed }: { codes: readonly string[]; failed: Failed },
): Promise<boolean> {
  return inUnitOf(actor, async (unit) => {
    const data = { failure_code: row.failure_code, next_generation: row.generation + 1 };
    const batch = await findBatch(unit.tx, row.batch_id);
    // The batch may have been forgotten since it was read, also partly, by a program that was killed.
    if (batch === null || batch.forgotten_at !== null || row.phone_number === null) return false;
    // While the service was asked, a webhook or another look-up may have shown that the payment has arrived.
    const current = await findRow(unit.tx, row.batch_id, row.row_no);
    if (current?.contradicted !== row.contradicted) return false;
    if (!(await unit.changeRow(row, 'retry', nextGeneration(row, null), data))) return false;
    // The next generation clears the cost of this payment from the row. So a charge that the service has reversed is
    // recorded now.
    const own = failed.last.find((payment) => isOwnPayment(row, payment));
    if (own) await noteDifference(unit, row, own);
    await nameEnds(unit.tx, row, codes);
    await writeRefund(unit.tx, row, { refunded_at: null, refund_amount: null, refund_currency: null });
    if (can(batch.status, 'reopen')) await unit.changeBatch(batch, 'reopen', { completed_at: null }, {});
    return true;
  });
}
