import { isReadBefore } from '../../core/duplicates/comparison.ts';
import { duplicateRules } from '../../core/duplicates/question.ts';
import type { EventWhy } from '../../core/state/event-whys.ts';
import { dayMs } from '../../core/time/clock.ts';
import { countsAsUnpaid, noteContradiction, noteSecondPayment } from '../../ledger/reporting/contradictions.ts';
import { noteLateCharge } from '../../ledger/reporting/late-charges.ts';
import { holdMayBePaid } from '../../ledger/reporting/may-be-paid.ts';
import { type FailedRow, failedPaymentsTo } from '../../ledger/rows/failed-payments.ts';
import { findPayment } from '../../ledger/rows/payments.ts';
import { namedEnds } from '../../ledger/rows/row-decisions.ts';
import { findRow, type RowRecord } from '../../ledger/rows/rows.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { type PayingBatch, paymentNames } from '../payments/payment-request.ts';
import type { Asks, Parts, Writes } from '../runner/context.ts';
import type { OpenBatch } from '../runner/open-batches.ts';
import { type EarlierGenerations, type LookupDeps, lookupGenerations } from './earlier-generations.ts';
import { type LookupRetry, rowName, withOthersRead } from './lookup-retry.ts';

type FailedBeforeNeeds = Parts<Asks | Writes | 'batches' | 'picker'>;

/** The failed rows that were just read again and that the service still calls failed. */
export type ConfirmedFailures = ReadonlySet<string>;

/**
 * Reads failed payments of other batches to the same person again (I17): those that would hold one of these rows if
 * they had arrived. References do not matter, and a released row is read for as well. If the service no longer reports
 * a payment as failed, its row is marked as contradicted, and holds the new row like any other payment. Returns the
 * rows that need not wait for a payment that could not be read.
 */
export async function withFailuresRead(
  context: FailedBeforeNeeds,
  rows: readonly RowRecord[],
): Promise<{ rows: RowRecord[]; confirmed: ConfirmedFailures }> {
  const found = await Promise.all(
    [...Map.groupBy(rows, ({ batch_id }) => batch_id)].map(async ([batchId, ofBatch]) => {
      const open = context.batches.get(batchId);
      return open ? [...(await failuresBefore(context, open, ofBatch))] : [];
    }),
  );
  const toRead = new Map(found.flat());
  const failuresOf = (row: RowRecord) => toRead.get(row) ?? [];
  const free = await withOthersRead(context, rows, failuresOf, (failed) => readAgain(context, failed));
  return { rows: free, confirmed: new Set(free.flatMap(failuresOf).map(rowName)) };
}

/** The failed payments that must be read before each row is sent. Rows without such payments are left out. */
async function failuresBefore(
  { db, clock }: Parts<'clock' | 'db'>,
  open: OpenBatch,
  rows: readonly RowRecord[],
): Promise<Map<RowRecord, FailedRow[]>> {
  const { account, batch_id: batchId, run_id } = open.batch;
  const rules = duplicateRules(open.policy, open.batch, clock.now());
  const { days, asOf } = rules;
  const numbers = new Set(rows.flatMap(({ phone_number }) => (phone_number === null ? [] : [phone_number])));
  const query = { account, batchId, runId: run_id, since: asOf - days * dayMs };
  const failed = await failedPaymentsTo(db, query, [...numbers]);
  const toRead = new Map<RowRecord, FailedRow[]>();
  if (failed.length === 0) return toRead;
  for (const row of rows) {
    const asking = { ...row, run_id };
    const before = failed.filter((one) => {
      if (one.phone_number !== row.phone_number) return false;
      // A row that is to be retried no longer has the time of its earlier payment, so that payment is read in any case.
      return isReadBefore(asking, { ...one, first_sent_at: one.first_sent_at ?? asOf }, rules);
    });
    if (before.length > 0) toRead.set(row, before);
  }
  return toRead;
}

/**
 * Reads all payments of a failed row again, and records one that has not failed after all. Returns what could not be
 * read, or null.
 */
async function readAgain(context: FailedBeforeNeeds, failed: FailedRow): Promise<LookupRetry | null> {
  const { account, run_id, batch_id, row_no, generation, status } = failed;
  const { clock, db, gateway, limiter } = context;
  const batch = { account, run_id };
  const lastGeneration = status === 'failed' ? generation : generation - 1;
  const deps: LookupDeps = { db, clock, gateway, ask: (question) => limiter.admit('read', question) };
  const found = await lookupGenerations(deps, batch, failed, {
    lastGeneration,
    named: [...(await namedEnds(db, failed)), ...(failed.service_status === null ? [] : [failed.service_status])],
  });
  if (found.kind === 'unread') return found;
  if (found.kind === 'failed') return null;
  await context.committer.commit(async (unit) => {
    const current = await findRow(unit.tx, batch_id, row_no);
    if (current) await noteArrived(unit, batch, current, found);
  });
  context.log.warn('the service contradicts the ledger', { batch_id, row: row_no, why: arrivedWhy(found) });
  return null;
}

type Arrived = Extract<EarlierGenerations, { kind: 'live' | 'doubtful' }>;

/** The text leaves out the reference, which may be a phone number: the audit chain keeps it for ever. */
function arrivedWhy({ generation, serviceStatus }: Arrived): EventWhy {
  return `the service says ${serviceStatus} of the payment of generation ${generation}, which had failed`;
}

/**
 * Records that a payment of this row has not failed at the service: the row that sent it counts as paid, and is not
 * retried. If it was retried and sent while the service was asked, it may have two payments.
 */
export async function noteArrived(unit: Unit, batch: PayingBatch, row: RowRecord, arrived: Arrived): Promise<void> {
  const { generation, reference, serviceStatus } = arrived;
  const payment = await findPayment(unit.tx, paymentNames(batch, row, generation).key);
  const sender = payment && (await findRow(unit.tx, payment.batch_id, payment.row_no));
  if (sender === null) return;
  if (!countsAsUnpaid(sender)) {
    if (generation < sender.generation && arrived.kind === 'live') await noteEarlierOfSent(unit, sender, arrived);
    return;
  }
  if (sender.service_status === serviceStatus) return;
  const firstSentAt = payment?.first_intent_at ?? null;
  if (sender.status === 'ready') {
    await holdMayBePaid(unit, sender, { reference, serviceStatus, firstSentAt });
    await noteLateCharge(unit, sender, arrived);
  } else await noteContradiction(unit, sender, { ...arrived, why: arrivedWhy(arrived), firstSentAt });
}

/** While the present payment has no id of the service, its end decides: see `noteEarlierArrived`. */
async function noteEarlierOfSent(unit: Unit, sender: RowRecord, arrived: Arrived): Promise<void> {
  const { topupId, serviceStatus, cost, completedAt } = arrived;
  if (sender.topup_id === null || topupId === null) await noteLateCharge(unit, sender, arrived);
  else if (sender.second_topup_id === null)
    await noteSecondPayment(unit, sender, { topupId, serviceStatus, cost, completedAt }, arrivedWhy(arrived));
}
