import type { ServicePayment } from '../../gateway/contract/gateway.ts';
import { findRow, type RowRecord } from '../../ledger/rows/rows.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { stepDueRows } from '../doubts/due-rows.ts';
import { unansweredMsMax } from '../pacing/read-trouble.ts';
import { writeLimits } from '../pacing/write-limits.ts';
import { referenceOf } from '../payments/payment-request.ts';
import { idleMs, type OpenBatch } from '../runner/open-batches.ts';
import { applyStatusUpdate, contradictEnd, reportSecondPayment } from './apply-status-update.ts';
import { type FollowingNeeds, followList } from './following.ts';
import type { ListCursor } from './list-cursor.ts';
import { noteOpen } from './overdue.ts';

export type TrackingNeeds = FollowingNeeds;

/**
 * Follows accepted rows that are not terminal, with the reads that are worth a request now. Returns when to call it
 * again (ms from now).
 */
export async function trackOnce(context: TrackingNeeds, cursor: ListCursor): Promise<number> {
  const { settings, clock } = context;
  await writeLimits(context.db).noIntentWaits(clock, settings.readsDelayedMsMax);
  const lookAt = context.gateway.list === null ? Infinity : await followList(context, cursor);
  const readAt = (await stepDueRows(context, 'accepted', (open, row) => readRow(context, open, row))) ?? Infinity;
  const next = Math.min(lookAt, readAt);
  // Every accepted row wakes this loop, so without followed rows there is nothing to poll.
  const waitMsMax = next === Infinity ? idleMs(context) : settings.oldReadsMsMax;
  return Math.min(waitMsMax, Math.max(next - clock.now(), 0));
}

/** Reads a single row that is due. */
async function readRow(context: TrackingNeeds, open: OpenBatch, row: RowRecord): Promise<void> {
  const reference = referenceOf(open.batch, row, row.generation);
  const read = { topupId: row.topup_id ?? '', reference };
  const outcome = await context.limiter.admit('read', () => context.gateway.read(read));
  if (outcome.kind !== 'found' && outcome.kind !== 'not_found') {
    const wait = await context.readTrouble(outcome);
    // An unanswered read says nothing about the payment: after a day of them, a person may decide, as for a doubt.
    // Throttled reads do not count, because a throttle ends.
    const promisedMs = outcome.kind === 'throttled' ? Number.POSITIVE_INFINITY : unansweredMsMax;
    await context.committer.commit((unit) =>
      noteOpen(unit, context, open, row, { fields: { next_action_at: unit.at + wait }, promisedMs }),
    );
    return;
  }
  const payments = outcome.kind === 'found' ? outcome.payments : [];
  await context.committer.commit((unit) => writeRead(unit, context, open, row, payments));
}

async function writeRead(
  unit: Unit,
  context: TrackingNeeds,
  open: OpenBatch,
  row: RowRecord,
  payments: readonly ServicePayment[],
): Promise<void> {
  const payment = payments.find(({ topupId }) => topupId === row.topup_id);
  // Version 1 reads by reference, and each reference should have one payment.
  for (const other of payments) await reportSecondPayment(unit, context, open, row, other);
  if (!payment) {
    context.log.warn('the service does not find a payment that it had accepted; airbatch asks again', {
      batch_id: row.batch_id,
      row: row.row_no,
    });
  }
  if (payment && payment.state !== 'open') {
    if ((await applyStatusUpdate(unit, context, open, row, payment)) !== null) return;
    const current = await findRow(unit.tx, row.batch_id, row.row_no);
    if (current) await contradictEnd(unit, context, open, current, payment);
    return;
  }
  if (payment?.unknownStatus) await applyStatusUpdate(unit, context, open, row, payment);
  const { settings, gateway } = context;
  // The delay to the next read grows with the row's age. By our own clock, because the service's clock may differ.
  const age = unit.at - (row.first_sent_at ?? row.accepted_at ?? unit.at);
  const wait = Math.min(settings.readDelayMsMax, Math.max(settings.readDelayMsMin, age / 4));
  const fields = {
    next_action_at: unit.at + Math.round(wait),
    service_status: payment?.serviceStatus ?? row.service_status,
  };
  await noteOpen(unit, context, open, row, { fields, promisedMs: gateway.policy.settleAlertMs });
}
