import { assert } from '../../core/basics/assert.ts';
import type { PauseReason } from '../../core/state/batch-state.ts';
import { doubtReason } from '../../core/state/doubt-words.ts';
import { isResolved } from '../../core/state/overdue.ts';
import type { ServicePayment } from '../../gateway/contract/gateway.ts';
import {
  dueInbox,
  type InboxEntry,
  type InboxOutcome,
  nextInboxDueAt,
  updateInbox,
} from '../../ledger/accounts/webhook-inbox.ts';
import type { EventData } from '../../ledger/audit/events.ts';
import { runSoFar } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { countsAsUnpaid, noteContradiction } from '../../ledger/reporting/contradictions.ts';
import { findPayment, type PaymentRecord, updateAttempts } from '../../ledger/rows/payments.ts';
import { type Refund, writeRefund } from '../../ledger/rows/refunds.ts';
import { findRow, findRowByTopup, type RowRecord } from '../../ledger/rows/rows.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { writePause } from '../batches/pausing.ts';
import { writeReview } from '../doubts/doubts.ts';
import { holdMayBePaid } from '../doubts/earlier-generations.ts';
import { noteDifference } from '../payments/late-differences.ts';
import { mismatch } from '../payments/payment-request.ts';
import { settle } from '../payments/settle.ts';
import type { RunnerContext } from '../runner/context.ts';
import { readWebhookUpdate, type WebhookUpdate } from './webhook-update.ts';

/** How many webhooks are read from the ledger at a time: fewer than one transaction carries. */
const entriesPerPass = 100;
/** A request is answered within its deadline. Until then a webhook of its row waits, and checks this often. */
const sendingWaitMs = 1_000;
/**
 * The delays of the lookups that a webhook causes, until the row is terminal. The first answer may have been sent
 * before the webhook, and what the service reads may lag behind what it sends.
 */
const lookWaitsMs = [2_000, 10_000, 60_000] as const;

/** What happens after a webhook's handling is durable. */
interface Effect {
  wake?: 'track' | 'doubt';
  warn?: { message: string; data: EventData };
  pause?: { reason: PauseReason; detail: string };
}

/** The row that a webhook is about. */
interface Target {
  row: RowRecord;
  /** Null if only the service's id identifies the row. */
  payment: PaymentRecord | null;
}

/**
 * Takes the account's webhooks that are due, each in the transaction that also marks it as handled. A webhook is a
 * hint: it brings the next look-up of its row forward to now. Only one whose signature covers the whole payment, which
 * agrees with the ledger in all of it, and which says that the payment arrived, ends a row by itself. Returns when the
 * next is due (epoch ms), or null where none waits.
 */
export async function processWebhooks(context: RunnerContext): Promise<number | null> {
  while (!context.stopping.aborted) {
    const due = await dueInbox(context.db, context.account, context.clock.now(), entriesPerPass);
    if (due.length === 0) break;
    const effects = await Promise.all(
      due.map((entry) => context.committer.commit((unit) => processWebhook(unit, context, entry))),
    );
    for (const effect of effects) await act(context, effect);
  }
  return nextInboxDueAt(context.db, context.account);
}

async function act(context: RunnerContext, { wake, warn, pause }: Effect): Promise<void> {
  if (wake === 'track') context.trackWake.wake();
  if (wake === 'doubt') context.doubtWake.wake();
  if (warn) context.log.warn(warn.message, warn.data);
  if (pause) await context.pauseAccount(pause.reason, pause.detail);
}

async function processWebhook(unit: Unit, context: RunnerContext, entry: InboxEntry): Promise<Effect> {
  const word = readWebhookUpdate(entry);
  if (!word) {
    await close(unit, entry, 'unreadable');
    return { warn: { message: 'a webhook could not be read', data: { digest: entry.body_digest } } };
  }
  if (word.says === 'account') {
    await close(unit, entry, word.verbatim === 'wallet.low_balance' ? 'low_balance' : 'account_event');
    return {
      warn: { message: 'the service tells of the account', data: { account: entry.account, event: word.verbatim } },
    };
  }
  const target = await findTarget(unit.tx, context.account, word);
  if (!target) {
    await close(unit, entry, 'foreign');
    return (await isOfOurRun(unit.tx, context.account, word)) ? unknownPayment(context.account, word) : {};
  }
  const named = { ...entry, batch_id: target.row.batch_id, row_no: target.row.row_no };
  return processUpdate(unit, context, named, word, target);
}

async function findTarget(tx: Queryable, account: string, word: WebhookUpdate): Promise<Target | null> {
  const payment = word.key === null ? null : await findPayment(tx, word.key);
  if (payment && payment.account === account) {
    const row = await findRow(tx, payment.batch_id, payment.row_no);
    return row && { row, payment };
  }
  const row = word.topupId === null ? null : await findRowByTopup(tx, account, word.topupId);
  return row && { row, payment: null };
}

async function isOfOurRun(tx: Queryable, account: string, { runId }: WebhookUpdate): Promise<boolean> {
  return runId !== null && (await runSoFar(tx, account, runId)).batches > 0;
}

/** A restored ledger meets its own lost payments in this way. */
function unknownPayment(account: string, word: WebhookUpdate): Effect {
  const data = { account, run_id: word.runId, topup_id: word.topupId };
  return { warn: { message: 'the service has a payment of this run which this ledger never sent', data } };
}

async function processUpdate(
  unit: Unit,
  context: RunnerContext,
  entry: InboxEntry,
  word: WebhookUpdate,
  target: Target,
): Promise<Effect> {
  const { row, payment } = target;
  if (payment && payment.generation !== row.generation) return takeEarlier(unit, entry, word, row, payment);
  switch (row.status) {
    case 'sending':
      return waitForAnswer(unit, entry);
    case 'accepted':
    case 'in_doubt':
      return takeOpen(unit, context, entry, word, target);
    case 'completed':
    case 'failed':
      return takeEnded(unit, context, entry, word, target);
    default:
      return takeUnsent(unit, entry, word, target);
  }
}

/** According to the ledger, the request under this key was refused. A further failure changes nothing. */
async function takeUnsent(
  unit: Unit,
  entry: InboxEntry,
  word: WebhookUpdate,
  { row, payment }: Target,
): Promise<Effect> {
  if (word.says === 'failed') {
    await close(unit, entry, 'nothing_new');
    return {};
  }
  const why = 'the service tells of a payment that it was thought not to have';
  if (row.status !== 'ready' || payment === null) return contradict(unit, entry, word, row, why);
  const fields = {
    // As of now: whoever released a row of another run meanwhile was told nothing of it.
    first_sent_at: unit.at,
    service_status: null,
    next_action_at: unit.at,
    failure_code: 'told_of',
    failure_reason: doubtReason,
  };
  await unit.changeRow(row, 'doubt', fields, { why, says: word.verbatim });
  await updateAttempts(unit.tx, { ...payment, open_attempts: payment.open_attempts + 1 });
  // It is processed again, now as a webhook of a row in doubt.
  await write(unit, { ...entry, due_at: unit.at });
  return { wake: 'doubt', warn: { message: why, data: { ...place(row), says: word.verbatim } } };
}

/**
 * It speaks of a generation that had failed here, so that a later one could be opened: that is not sent, nor sent
 * again, before a person looked.
 */
async function takeEarlier(
  unit: Unit,
  entry: InboxEntry,
  word: WebhookUpdate,
  row: RowRecord,
  { reference, first_intent_at: firstSentAt, generation }: PaymentRecord,
): Promise<Effect> {
  // Without its id it is unknown which of the row's payments it is.
  if (word.says === 'refunded' && word.topupId !== null) {
    await appendRefund(unit, row, word);
    await close(unit, entry, 'refund_noted');
    return {};
  }
  if (word.says !== 'completed') {
    await close(unit, entry, 'nothing_new');
    return {};
  }
  if (row.status === 'sending') return waitForAnswer(unit, entry);
  if (row.status === 'ready') await holdMayBePaid(unit, row, { reference, serviceStatus: word.verbatim, firstSentAt });
  if (row.status === 'in_doubt')
    await writeReview(unit, row, `the service says ${word.verbatim} of its payment of generation ${generation}`, {});
  return contradict(unit, entry, word, row, 'an earlier payment of the row is completed');
}

/** The row's request is still running: the webhook is processed after its outcome is known. */
async function waitForAnswer(unit: Unit, entry: InboxEntry): Promise<Effect> {
  await write(unit, { ...entry, due_at: unit.at + sendingWaitMs });
  return {};
}

async function takeOpen(
  unit: Unit,
  context: RunnerContext,
  entry: InboxEntry,
  word: WebhookUpdate,
  { row, payment }: Target,
): Promise<Effect> {
  if (payment && word.payment) {
    const difference = differs(row, payment, word.payment);
    if (difference) return halt(unit, context, entry, word, row, difference);
    if (row.status === 'in_doubt' && word.payment.state !== 'failed')
      return adopt(unit, context, entry, row, word.payment);
  }
  if (row.status === 'accepted') {
    if (word.says === 'open') {
      await close(unit, entry, 'nothing_new');
      return {};
    }
    // A failure lets the row be paid again: the read that follows confirms it.
    const isFailure = word.payment?.state === 'failed';
    if (payment && !isFailure && word.payment?.topupId === row.topup_id && coversAll(row, word.payment)) {
      await settle(unit, context, row, word.payment, { withDetails: false, evidence: { by: 'webhook' } });
      noteWebhook(unit, context, row, word.payment);
      await close(unit, entry, 'settled');
      return {};
    }
  }
  const isFirstLook = entry.looks === 0;
  if (isFirstLook && row.status === 'accepted') noteWebhook(unit, context, row, null);
  const refund = word.says === 'refunded' && isFirstLook ? await noteRefund(unit, row, word) : {};
  return { ...refund, ...(await lookNow(unit, entry, word, row)) };
}

/**
 * The whole payment is there, signed: what was in doubt is paid, or about to be, whatever look-ups find. One that
 * failed is left to them, since there may be another under the reference.
 */
async function adopt(
  unit: Unit,
  context: RunnerContext,
  entry: InboxEntry,
  row: RowRecord,
  said: ServicePayment,
): Promise<Effect> {
  const isWhole = coversAll(row, said);
  const evidence = { by: 'webhook' };
  await unit.append(row.batch_id, 'row.adopt', { ...evidence, topup_id: said.topupId }, row.row_no);
  await settle(unit, context, row, { ...said, full: isWhole }, { withDetails: !isWhole, evidence });
  await close(unit, entry, 'settled');
  return { wake: 'track' };
}

function noteWebhook(
  unit: Unit,
  { settlementStats, settings }: RunnerContext,
  row: RowRecord,
  said: ServicePayment | null,
): void {
  // By our own clock: a followed row is due this long after its acceptance.
  const ageMs = unit.at - ((row.next_action_at ?? unit.at) - settings.listFollowMs);
  settlementStats.noteWebhook(said, { acceptedAt: row.accepted_at, ageMs });
}

/** Schedules the row's next lookup for now, and checks later that it settled the row. */
async function lookNow(unit: Unit, entry: InboxEntry, word: WebhookUpdate, row: RowRecord): Promise<Effect> {
  const wait = lookWaitsMs[entry.looks];
  if (wait === undefined) {
    // The person who decides must know that a webhook reported a payment.
    if (row.status === 'in_doubt')
      return contradict(unit, entry, word, row, 'a webhook tells of a payment that no look-up finds');
    await close(unit, entry, word.says === 'refunded' ? 'refund_noted' : 'still_open');
    return {};
  }
  await unit.noteRow(row, { next_action_at: unit.at }, null, {});
  await write(unit, { ...entry, looks: entry.looks + 1, due_at: unit.at + wait });
  return { wake: row.status === 'in_doubt' ? 'doubt' : 'track' };
}

/** A row that ended stays as it ended (reliability.md, I7): what the service says now is noted beside it. */
async function takeEnded(
  unit: Unit,
  context: RunnerContext,
  entry: InboxEntry,
  word: WebhookUpdate,
  { row, payment }: Target,
): Promise<Effect> {
  if (word.says === 'refunded') {
    const effect = entry.looks === 0 ? await noteRefund(unit, row, word) : {};
    await close(unit, entry, 'refund_noted');
    return effect;
  }
  const difference = word.payment && payment ? differs(row, payment, word.payment) : null;
  if (difference) return halt(unit, context, entry, word, row, difference);
  if ((word.says === 'completed' || word.says === 'failed') && word.says !== row.status)
    return contradict(unit, entry, word, row, `the row is ${row.status}, and the service says ${word.verbatim}`);
  // What was refused has no payment: should there be one after all, a retry would be a second.
  if (row.status === 'failed' && row.topup_id === null && word.says !== 'failed')
    return contradict(unit, entry, word, row, 'the row was refused, and the service has a payment for it');
  const late = word.payment && isResolved(row) ? await noteDifference(unit, row, word.payment) : null;
  if (late) {
    await close(unit, entry, 'contradiction');
    return { warn: { message: 'the service contradicts the ledger', data: { ...place(row), why: late.why } } };
  }
  await close(unit, entry, entry.looks > 0 ? 'looked_up' : 'nothing_new');
  return {};
}

/** How the service's payment differs from the row's own; null if they agree in what both have. */
function differs(row: RowRecord, payment: PaymentRecord, said: ServicePayment): string | null {
  if (row.topup_id !== null && said.topupId !== row.topup_id) return 'another top-up under the same reference';
  return mismatch(row, payment.reference, said);
}

/** Whether everything is there that ends a row; that it agrees, `differs` has shown. */
function coversAll(row: RowRecord, said: ServicePayment): boolean {
  const ended = said.state !== 'open' && !said.unknownStatus && said.cost !== null;
  const bought = row.amount === null ? said.productId !== null : said.amount !== null;
  return ended && bought && said.full && said.phoneNumber !== null;
}

/** Records a refund on the row, which keeps its state. */
async function noteRefund(unit: Unit, row: RowRecord, word: WebhookUpdate): Promise<Effect> {
  const refund = await appendRefund(unit, row, word);
  // The row has the first refund; every further one stands in the audit log.
  if (row.refunded_at === null) await writeRefund(unit.tx, row, refund);
  // A failed payment costs nothing, so a refund of it is expected.
  if (row.status === 'failed') return {};
  return {
    warn: { message: 'the service gave the money of a payment back', data: { ...place(row), status: row.status } },
  };
}

/** Writes down that the money of one of the row's payments was given back. */
async function appendRefund(unit: Unit, row: RowRecord, { topupId, refund, at }: WebhookUpdate): Promise<Refund> {
  const [amount, currency] = [refund?.value ?? null, refund?.currency ?? null];
  const refunded_at = at ?? unit.at;
  const data = { topup_id: topupId, amount, currency, status: row.status, refunded_at };
  await unit.append(row.batch_id, 'row.refund', data, row.row_no);
  return { refunded_at, refund_amount: amount, refund_currency: currency };
}

/** The service has another payment than the one asked for: nothing more is sent until a person looked. */
async function halt(
  unit: Unit,
  context: RunnerContext,
  entry: InboxEntry,
  word: WebhookUpdate,
  row: RowRecord,
  difference: string,
): Promise<Effect> {
  const effect = await contradict(unit, entry, word, row, `the service has ${difference}`);
  const detail = `a webhook for row ${row.row_no} of batch ${row.batch_id} names ${difference}`;
  await writePause(unit, context, 'service_mismatch', detail);
  return { ...effect, pause: { reason: 'service_mismatch', detail } };
}

/** A row that counts as not paid counts as paid from now on, unless the service has failed the payment as well. */
async function contradict(
  unit: Unit,
  entry: InboxEntry,
  word: WebhookUpdate,
  row: RowRecord,
  why: string,
): Promise<Effect> {
  const { topupId } = word;
  const isStatus = word.payment !== null || word.says === 'something';
  const serviceStatus = isStatus ? word.verbatim : word.says;
  const current = await findRow(unit.tx, row.batch_id, row.row_no);
  const isUnpaid = current !== null && countsAsUnpaid(current);
  const isPaidNow = isUnpaid && word.says !== 'failed';
  if (!isPaidNow || !(await noteContradiction(unit, current, { why, serviceStatus, topupId, firstSentAt: null }))) {
    const data = { why, service_status: serviceStatus, topup_id: topupId };
    const isOther = current?.topup_id != null && topupId !== null && topupId !== current.topup_id;
    const isSecond = isOther && !isUnpaid && word.says !== 'failed';
    const noted = isSecond ? await unit.noteRow(current, { second_topup_id: topupId }, 'row.contradicted', data) : null;
    if (noted === null) await unit.append(row.batch_id, 'row.contradicted', data, row.row_no);
  }
  await close(unit, entry, 'contradiction');
  return { warn: { message: 'the service contradicts the ledger', data: { ...place(row), why } } };
}

function place(row: RowRecord): EventData {
  return { batch_id: row.batch_id, row: row.row_no };
}

/** The body names a person, so it is deleted with its last use; its digest stays. An unreadable body is kept. */
async function close(unit: Unit, entry: InboxEntry, outcome: InboxOutcome): Promise<void> {
  const body = outcome === 'unreadable' ? entry.body : null;
  await write(unit, { ...entry, body, due_at: null, handled_at: unit.at, outcome });
}

async function write(unit: Unit, entry: InboxEntry): Promise<void> {
  const changed = await updateInbox(unit.tx, entry);
  assert(changed, 'an entry of the inbox is handled once, by the one runner of its account');
}
