import { idempotencyKey, parseReference } from '../core/ids.ts';
import { sameAmount } from '../core/money.ts';
import type { ServicePayment } from '../gateway/gateway.ts';
import { type BatchRecord, batchesToReread, findBatch } from '../ledger/batches.ts';
import { forgetFact, readFact, writeFact } from '../ledger/facts.ts';
import { findPayment } from '../ledger/payments.ts';
import { findRow, nextEndedRow, type RowRecord, writeRefund } from '../ledger/rows.ts';
import type { Unit } from '../ledger/unit-of-work.ts';
import type { RunnerContext } from './context.ts';
import { referenceOf } from './orders.ts';
import { readTrouble } from './read-trouble.ts';

/** The most that the service lists on one page (spec section 8.2). */
const rowsPerPage = 100;
/** How far beyond the batch's own times its payments are looked for: the service's clock may be another. */
const marginMs = 60_000;

/**
 * Reads the payments of finished batches once more, a day after their end (reliability.md, V2 step 8): a payment may be
 * refunded, or turn out otherwise, after its last word. The rows stay as they ended; a difference is noted and told. Returns
 * how long until there may be more to do, in milliseconds. Version 1 has no list to read: each call looks one row up.
 */
export async function rereadFinished(context: RunnerContext): Promise<number> {
  const { db, account, clock, settings } = context;
  const [batch] = await batchesToReread(db, account, clock.now() - settings.rereadAfterMs);
  if (!batch) return settings.rereadLookMs;
  const wait = context.gateway.list === null ? await rereadNextRow(context, batch) : await rereadList(context, batch);
  if (wait > 0 || context.stopping.aborted) return wait;
  await context.committer.commit(async (unit) => {
    const current = await findBatch(unit.tx, batch.batch_id);
    await forgetFact(unit.tx, placeName(batch));
    // A retry may have opened it again: then it is read when it has ended anew.
    if (current?.completed_at === batch.completed_at) await unit.noteBatch(current, { reread_at: unit.at });
  });
  return 0;
}

/** Where the row stands that was looked up last, so that a restart goes on from there. A batch that ended anew begins anew. */
function placeName({ batch_id, completed_at }: BatchRecord): string {
  return `reread:${batch_id}:${completed_at}`;
}

/** Looks up the next row of the batch. Returns how long until its next one, 0 where all were looked up. */
async function rereadNextRow(context: RunnerContext, batch: BatchRecord): Promise<number> {
  const { db, gateway, settings } = context;
  const place = Number((await readFact(db, placeName(batch))) ?? 0);
  const row = await nextEndedRow(db, batch.batch_id, place);
  if (!row) return 0;
  const outcome = await context.limiter.admit('read', () => gateway.lookUp(referenceOf(batch, row, row.generation)));
  if (outcome.kind !== 'found' && outcome.kind !== 'not_found') return readTrouble(context, 'read', outcome);
  const differences = await context.committer.commit(async (unit) => {
    await writeFact(unit.tx, placeName(batch), String(row.row_no));
    if (outcome.kind === 'found') return compareAll(unit, context, batch, outcome.payments);
    return row.status === 'completed' ? [await noteGone(unit, row)] : [];
  });
  tell(context, differences);
  return settings.rereadApartMs;
}

async function rereadList(context: RunnerContext, batch: BatchRecord): Promise<number> {
  const { list } = context.gateway;
  const fromMs = (batch.started_at ?? batch.created_at) - marginMs;
  const toMs = (batch.completed_at ?? context.clock.now()) + marginMs;
  for (let page = 1; list && !context.stopping.aborted; page++) {
    const query = { page, perPage: rowsPerPage, fromMs, toMs, oldestFirst: true };
    const outcome = await context.limiter.admit('read', () => list(query));
    if (outcome.kind !== 'page') return readTrouble(context, 'read', outcome);
    tell(context, await context.committer.commit((unit) => compareAll(unit, context, batch, outcome.payments)));
    if (!outcome.hasNext) break;
  }
  return 0;
}

/** A row that ended otherwise than the service says now. */
interface LateDifference {
  row: RowRecord;
  why: string;
}

function tell({ log }: RunnerContext, differences: readonly LateDifference[]): void {
  for (const { row, why } of differences)
    log.warn('a payment is not what it was when its row ended', { batch: row.batch_id, row: row.row_no, why });
}

async function compareAll(
  unit: Unit,
  context: RunnerContext,
  batch: BatchRecord,
  payments: readonly ServicePayment[],
): Promise<LateDifference[]> {
  const differences: LateDifference[] = [];
  for (const payment of payments) {
    const difference = await compare(unit, context, batch, payment);
    if (difference) differences.push(difference);
  }
  return differences;
}

/** The service no longer has what it completed. */
async function noteGone(unit: Unit, row: RowRecord): Promise<LateDifference> {
  const why = 'the row ended completed, and the service now has nothing under its reference';
  await unit.append(row.batch_id, 'row.changed_late', { why, topup_id: row.topup_id }, row.row_no);
  return { row, why };
}

async function compare(
  unit: Unit,
  { account }: RunnerContext,
  batch: BatchRecord,
  payment: ServicePayment,
): Promise<LateDifference | null> {
  const named = payment.reference === null ? null : parseReference(payment.reference);
  const bound = named && (await findPayment(unit.tx, idempotencyKey({ account, ...named })));
  const row = bound?.batch_id === batch.batch_id ? await findRow(unit.tx, bound.batch_id, bound.row_no) : null;
  if (!row || bound?.generation !== row.generation) return null;
  // A row that was refused has no payment at the service, and any that is there now is one of its own.
  if (row.topup_id !== null && row.topup_id !== payment.topupId) return null;
  const why = lateDifference(row, payment);
  if (why === null) return null;
  const cost = payment.cost === null ? {} : { cost: payment.cost.value, cost_currency: payment.cost.currency };
  const data = { why, service_status: payment.serviceStatus, topup_id: payment.topupId, ...cost };
  await unit.append(row.batch_id, 'row.changed_late', data, row.row_no);
  const isRefund = payment.state === 'completed' && payment.cost !== null && sameAmount(payment.cost.value, '0');
  if (isRefund && row.refunded_at === null) {
    const refund = { refunded_at: unit.at, refund_amount: row.cost, refund_currency: row.cost_currency };
    await writeRefund(unit.tx, row, refund);
  }
  return { row, why };
}

/** In what the service's word differs now from how the row ended; null where it agrees. */
export function lateDifference(row: RowRecord, payment: ServicePayment): string | null {
  if (payment.state !== row.status && (row.status === 'completed' || row.status === 'failed')) {
    return `the row ended ${row.status}, and the service now says ${payment.serviceStatus}`;
  }
  const { cost } = payment;
  if (row.cost === null || cost === null || row.status !== 'completed') return null;
  if (cost.currency === row.cost_currency && sameAmount(cost.value, row.cost)) return null;
  return `the row cost ${row.cost} ${row.cost_currency}, and the service now says ${cost.value} ${cost.currency}`;
}
