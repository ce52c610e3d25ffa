import type { ServicePayment } from '../gateway/gateway.ts';
import type { RowRecord } from '../ledger/rows.ts';
import type { Unit } from '../ledger/unit-of-work.ts';
import type { OpenBatch, RunnerContext } from './context.ts';
import { stepDueRows } from './due-rows.ts';
import { followList } from './following.ts';
import { referenceOf } from './orders.ts';
import { readTrouble } from './read-trouble.ts';
import { writeWord } from './write-word.ts';

/** Asks after what was accepted and is not terminal, as far as that is worth it by now. Returns when to ask again (ms from now). */
export async function trackOnce(context: RunnerContext): Promise<number> {
  const { settings, clock } = context;
  const lookAt = context.gateway.list === null ? Infinity : await followList(context);
  const readAt = (await stepDueRows(context, 'accepted', (open, row) => readRow(context, open, row))) ?? Infinity;
  const next = Math.min(lookAt, readAt);
  // Whatever is accepted rings, so where nothing is followed there is nothing to ask.
  const waitMsMax = next === Infinity ? settings.idlePollMs : settings.pollMsMax;
  return Math.min(waitMsMax, Math.max(next - clock.now(), 0));
}

/** Reads by itself a row for which it is time. */
async function readRow(context: RunnerContext, open: OpenBatch, row: RowRecord): Promise<void> {
  const reference = referenceOf(open.batch, row, row.generation);
  const read = { topupId: row.topup_id ?? '', reference };
  const outcome = await context.limiter.admit('read', () => context.gateway.read(read));
  if (outcome.kind !== 'found' && outcome.kind !== 'not_found') {
    const wait = await readTrouble(context, 'read', outcome);
    await context.committer.commit((unit) => unit.noteRow(row, { next_action_at: unit.at + wait }, null, {}));
    return;
  }
  const payments = outcome.kind === 'found' ? outcome.payments : [];
  await context.committer.commit((unit) => writeRead(unit, context, open, row, payments));
}

async function writeRead(
  unit: Unit,
  context: RunnerContext,
  open: OpenBatch,
  row: RowRecord,
  payments: readonly ServicePayment[],
): Promise<void> {
  const payment = payments.find(({ topupId }) => topupId === row.topup_id);
  if (!payment) {
    context.log.warn('the service does not find a payment that it had accepted; it is asked again', {
      batch: row.batch_id,
      row: row.row_no,
    });
  }
  if (payment && payment.state !== 'open') {
    await writeWord(unit, context, open, row, payment);
    return;
  }
  if (payment?.unknownStatus) await writeWord(unit, context, open, row, payment);
  await waitForMore(unit, context, open, row, payment?.serviceStatus ?? row.service_status);
}

/**
 * The payment is still open: the next read comes after a while that grows with its age. By our own clock, since the service's may be
 * another; one that is open for too long is told of once while the program runs, however late it is looked at.
 */
async function waitForMore(
  unit: Unit,
  { settings, gateway, log }: RunnerContext,
  { overdue }: OpenBatch,
  row: RowRecord,
  serviceStatus: string | null,
): Promise<void> {
  const age = unit.at - (row.first_sent_at ?? row.accepted_at ?? unit.at);
  const wait = Math.min(settings.readDelayMsMax, Math.max(settings.readDelayMsMin, age / 4));
  const isNews = age >= gateway.policy.settleAlertMs && !overdue.has(row.row_no);
  if (isNews) {
    overdue.add(row.row_no);
    log.warn('a payment is open for longer than the service promises', { batch: row.batch_id, row: row.row_no });
  }
  const fields = { next_action_at: unit.at + Math.round(wait), service_status: serviceStatus };
  await unit.noteRow(row, fields, isNews ? 'row.overdue' : null, isNews ? { age_ms: age } : {});
}
