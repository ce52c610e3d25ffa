import { assert } from '../../core/basics/assert.ts';
import type { EventWhy } from '../../core/state/event-whys.ts';
import type { Why } from '../../core/state/pause-texts.ts';
import type { LogData } from '../../core/text/log.ts';
import type { WarnMessage } from '../../core/text/log-events.ts';
import type { ServicePayment } from '../../gateway/contract/gateway.ts';
import { type InboxEntry, type InboxOutcome, updateInbox } from '../../ledger/accounts/webhook-inbox.ts';
import {
  countsAsUnpaid,
  noteContradiction,
  noteSecondPayment,
  paidTwice,
} from '../../ledger/reporting/contradictions.ts';
import { refundLateCharge } from '../../ledger/reporting/late-charges.ts';
import type { PaymentRecord } from '../../ledger/rows/payments.ts';
import { type Refund, writeRefund } from '../../ledger/rows/refunds.ts';
import { findRow, type RowRecord } from '../../ledger/rows/rows.ts';
import type { Pause, Unit } from '../../ledger/unit-of-work.ts';
import { writePause } from '../batches/pausing.ts';
import { type Difference, mismatch, otherPayment } from '../payments/payment-request.ts';
import type { Parts } from '../runner/context.ts';
import type { WebhookUpdate } from './webhook-update.ts';

/**
 * How long a webhook waits before it is checked again while its row's request is running. The request ends within its
 * deadline.
 */
const sendingWaitMs = 1_000;

/** The effects to carry out once the handling of a webhook is durable. */
export interface Effect {
  wake?: 'track' | 'doubt';
  warn?: { message: WarnMessage; data: LogData };
  pause?: Pause;
}

/** The row that a webhook is about. */
export interface Target {
  row: RowRecord;
  /** Null if only the service's id identifies the row. */
  payment: PaymentRecord | null;
}

/** A webhook that is being handled, in the transaction that also marks it as handled. */
export interface Handling<Context = Parts<'account' | 'service'>> {
  unit: Unit;
  context: Context;
  entry: InboxEntry;
  update: WebhookUpdate;
}

/** Lets the webhook wait: the row's request is still running, and its outcome must be known first. */
export async function waitForAnswer({ unit, entry }: Pick<Handling, 'unit' | 'entry'>): Promise<Effect> {
  await write(unit, { ...entry, due_at: unit.at + sendingWaitMs });
  return {};
}

/** How the service's payment differs from the row's own; null if they agree in what both have. */
export function differs(row: RowRecord, payment: PaymentRecord, said: ServicePayment): Difference | null {
  if (row.topup_id !== null && said.topupId !== row.topup_id) return 'another top-up under the same reference';
  return mismatch(row, payment.reference, said);
}

/** Records a refund on the row, unless it is of a second payment. The row keeps its state. */
export async function noteRefund(unit: Unit, row: RowRecord, update: WebhookUpdate): Promise<Effect> {
  const refund = await appendRefund(unit, row, update);
  const isOwn = update.topupId === null || row.topup_id === null || update.topupId === row.topup_id;
  // The row stores the first refund. Each further one is only in the audit log.
  if (isOwn && row.refunded_at === null) await writeRefund(unit.tx, row, refund);
  // A failed payment costs nothing, so a refund of it is expected.
  if (row.status === 'failed') return {};
  return {
    warn: { message: 'the service gave the money of a payment back', data: { ...place(row), status: row.status } },
  };
}

/** Appends the event that the money of one of the row's payments was refunded. */
export async function appendRefund(unit: Unit, row: RowRecord, { topupId, money, at }: WebhookUpdate): Promise<Refund> {
  const [amount, currency] = [money?.value ?? null, money?.currency ?? null];
  const refunded_at = at ?? unit.at;
  const data = { topup_id: topupId, amount, currency, status: row.status, refunded_at };
  await unit.append(row.batch_id, 'row.refund', data, row.row_no);
  const refund = { refunded_at, refund_amount: amount, refund_currency: currency };
  await refundLateCharge(unit.tx, row, topupId, refund);
  return refund;
}

/**
 * Halts the account: the service has another payment than the requested one. Nothing more is sent before a person has
 * looked.
 */
export async function halt(handling: Handling, row: RowRecord, difference: Difference): Promise<Effect> {
  const effect = await contradict(handling, row, `the service has ${difference}`);
  const text = `a webhook for row ${row.row_no} of batch ${row.batch_id} names ${difference}`;
  return { ...effect, ...(await haltAt(handling, otherPayment(row, difference, text))) };
}

/**
 * Records that the service has a payment for a row that counts as not paid. The row counts as paid from now on, unless
 * the webhook reports that this payment failed too. If the row has two payments now, the account is halted.
 */
export async function contradict(handling: Handling, row: RowRecord, why: EventWhy): Promise<Effect> {
  const { unit, entry, update } = handling;
  const { topupId, money: cost, at: completedAt } = update;
  const isStatus = update.payment !== null || update.says === 'something';
  const serviceStatus = isStatus ? update.verbatim : update.says;
  const current = await findRow(unit.tx, row.batch_id, row.row_no);
  assert(current, 'a row that was read is in the ledger');
  const payment = { serviceStatus, cost, completedAt };
  const isPaidNow = countsAsUnpaid(current) && update.says !== 'failed';
  const noted = isPaidNow
    ? await noteContradiction(unit, current, { ...payment, topupId, why, firstSentAt: null })
    : null;
  const second = secondIn(update, current);
  if (second !== null) await noteSecondPayment(unit, current, { ...payment, topupId: second }, why);
  else if (noted === null) {
    const data = { why, service_status: serviceStatus, topup_id: topupId };
    await unit.append(row.batch_id, 'row.contradicted', data, row.row_no);
  }
  const warn = { message: 'the service contradicts the ledger', data: { ...place(row), why } } as const;
  const isSecondNoted = noted !== null && noted.second_topup_id !== current.second_topup_id;
  const other = isSecondNoted ? topupId : second;
  const halted = other === null ? {} : await haltAt(handling, paidTwice(current, other));
  return close(unit, entry, 'contradiction', { warn, ...halted });
}

/** The id of a second payment of a row that counts as paid; null if the webhook shows none, or one that is known. */
function secondIn({ says, topupId }: WebhookUpdate, row: RowRecord): string | null {
  const isOther = row.topup_id !== null && topupId !== row.topup_id && topupId !== row.second_topup_id;
  return isOther && says !== 'failed' && !countsAsUnpaid(row) ? topupId : null;
}

async function haltAt({ unit, context }: Handling, why: Why): Promise<Effect> {
  await writePause(unit, context, 'service_mismatch', why);
  return { pause: { reason: 'service_mismatch', why } };
}

export function place(row: RowRecord): LogData {
  return { batch_id: row.batch_id, row: row.row_no };
}

/**
 * Marks a webhook as handled, and returns what follows from it. Its body names a person, so it is deleted; its digest
 * stays. An unreadable body is kept.
 */
export async function close(
  unit: Unit,
  entry: InboxEntry,
  outcome: InboxOutcome,
  effect: Effect = {},
): Promise<Effect> {
  const body = outcome === 'unreadable' ? entry.body : null;
  await write(unit, { ...entry, body, due_at: null, handled_at: unit.at, outcome });
  return effect;
}

export async function write(unit: Unit, entry: InboxEntry): Promise<void> {
  const changed = await updateInbox(unit.tx, entry);
  assert(changed, 'an entry of the inbox is handled once, by the one runner of its account');
}
