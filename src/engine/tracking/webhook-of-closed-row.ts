import { doubtReason, doubtWhy } from '../../core/state/doubt-texts.ts';
import { isResolved } from '../../core/state/overdue.ts';
import { noteLateCharge } from '../../ledger/reporting/late-charges.ts';
import { keepMayBePaid } from '../../ledger/reporting/may-be-paid.ts';
import { type PaymentRecord, updateAttempts } from '../../ledger/rows/payments.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import { writeEscalation } from '../doubts/doubts.ts';
import { noteDifference } from '../payments/late-differences.ts';
import {
  appendRefund,
  close,
  contradict,
  differs,
  type Effect,
  type Handling,
  halt,
  noteRefund,
  place,
  type Target,
  waitForAnswer,
  write,
} from './webhook-notes.ts';

/** Handles a webhook of a row whose request was refused according to the ledger. A further failure changes nothing. */
export async function takeUnsent(handling: Handling, { row, payment }: Target): Promise<Effect> {
  const { unit, entry, update } = handling;
  if (update.says === 'failed') return close(unit, entry, 'nothing_new');
  const why = 'the service reports a payment that it seemed not to have';
  if (row.status !== 'ready' || payment === null) {
    if (payment !== null) {
      const { reference, first_intent_at: firstSentAt } = payment;
      await keepMayBePaid(unit, row, { reference, serviceStatus: update.verbatim, firstSentAt });
    }
    return contradict(handling, row, why);
  }
  const fields = {
    // The current time: a person who released a row of another run in between did not see this payment.
    first_sent_at: unit.at,
    service_status: null,
    next_action_at: unit.at,
    failure_code: 'told_of',
    failure_reason: doubtReason,
  };
  await unit.changeRow(row, 'doubt', fields, { why, says: update.verbatim });
  await updateAttempts(unit.tx, { ...payment, open_attempts: payment.open_attempts + 1 });
  // The webhook is handled again, then as one of a row in doubt.
  await write(unit, { ...entry, due_at: unit.at });
  return { wake: 'doubt', warn: { message: why, data: { ...place(row), says: update.verbatim } } };
}

/**
 * Handles a webhook about an earlier generation, which had failed, so that a later one was opened. The later one is not
 * sent, or not sent again, before a person has looked.
 */
export async function takeEarlier(
  handling: Handling,
  row: RowRecord,
  { reference, first_intent_at: firstSentAt, generation }: PaymentRecord,
): Promise<Effect> {
  const { unit, entry, update } = handling;
  // Without the payment's id, it is unknown which of the row's payments was refunded.
  if (update.says === 'refunded' && update.topupId !== null) {
    await appendRefund(unit, row, update);
    return close(unit, entry, 'refund_noted');
  }
  if (update.says !== 'completed') return close(unit, entry, 'nothing_new');
  if (row.status === 'sending') return waitForAnswer(handling);
  await keepMayBePaid(unit, row, { reference, serviceStatus: update.verbatim, firstSentAt });
  if (row.status === 'in_doubt') {
    const text = `the service says ${update.verbatim} of its payment of generation ${generation}`;
    const why = doubtWhy('DOUBT_EARLIER', { service_status: update.verbatim, generation }, text);
    await writeEscalation(unit, row, why, {});
    await noteLateCharge(unit, row, { topupId: update.topupId, cost: update.money, completedAt: update.at });
  }
  return contradict(handling, row, 'an earlier payment of the row is completed');
}

/**
 * Handles a webhook of a row that ended. The row stays as it ended (reliability.md, I7); the new report is recorded as
 * a late difference.
 */
export async function takeEnded(handling: Handling, { row, payment }: Target): Promise<Effect> {
  const { unit, entry, update } = handling;
  if (update.says === 'refunded') {
    const effect = entry.looks === 0 ? await noteRefund(unit, row, update) : {};
    return close(unit, entry, 'refund_noted', effect);
  }
  const difference = update.payment && payment ? differs(row, payment, update.payment) : null;
  if (difference) return halt(handling, row, difference);
  if ((update.says === 'completed' || update.says === 'failed') && update.says !== row.status)
    return contradict(handling, row, `the row is ${row.status}, and the service says ${update.verbatim}`);
  // A refused row has no payment. If there is one after all, a retry would pay a second time.
  if (row.status === 'failed' && row.topup_id === null && update.says !== 'failed')
    return contradict(handling, row, 'the row was refused, and the service has a payment for it');
  const late = update.payment && isResolved(row) ? await noteDifference(unit, row, update.payment) : null;
  if (late) {
    const warn = { message: 'the service contradicts the ledger', data: { ...place(row), why: late.why } } as const;
    return close(unit, entry, 'contradiction', { warn });
  }
  return close(unit, entry, entry.looks > 0 ? 'looked_up' : 'nothing_new');
}
