import pLimit from 'p-limit';
import { idempotencyKey, parseReference } from '../core/ids.ts';
import type { ServicePayment } from '../gateway/gateway.ts';
import { findPayment } from '../ledger/payments.ts';
import { dueRows, findRow, nextDueAt, oldestFollowed, type RowRecord } from '../ledger/rows.ts';
import type { Unit } from '../ledger/unit-of-work.ts';
import type { OpenBatch, RunnerContext } from './context.ts';
import { referenceOf } from './orders.ts';
import { readTrouble } from './read-trouble.ts';
import { settle } from './settle.ts';

/** The most that the service lists on one page (spec section 8.2). */
const rowsPerPage = 100;
/** Rows read by themselves in one pass, and reads under way at once. The limiter decides when each starts. */
const readsPerPass = 100;
const readsAtOnce = 8;
/** How far the list is asked before the oldest row that is waited for: the service's and the ledger's time may differ. */
const listMarginMs = 2_000;

/** Asks once after everything that was accepted and is not terminal. Returns when to ask again (milliseconds from now). */
export async function trackOnce(context: RunnerContext): Promise<number> {
  const { settings, clock } = context;
  const followedSince = context.gateway.list === null ? null : await oldestAccepted(context);
  const listTrouble = followedSince === null ? 0 : await followList(context, followedSince);
  const nextRead = await readDueRows(context);
  const now = clock.now();
  // Whatever is accepted rings, so where nothing is followed there is nothing to ask.
  const waits: number[] = [followedSince === null && nextRead === null ? settings.idlePollMs : settings.pollMsMax];
  if (nextRead !== null) waits.push(Math.max(nextRead - now, 0));
  if (followedSince !== null) {
    // The longer the oldest has been waited for, the less a moment more or less matters.
    waits.push(Math.min(settings.pollMsMax, Math.max(settings.pollMsMin, (now - followedSince) / 8)));
  }
  return Math.max(listTrouble, Math.min(...waits));
}

async function oldestAccepted(context: RunnerContext): Promise<number | null> {
  let oldest: number | null = null;
  for (const { batch } of context.batches.values()) {
    const at = await oldestFollowed(context.db, batch.batch_id, context.clock.now());
    if (at !== null) oldest = Math.min(oldest ?? at, at);
  }
  return oldest;
}

/** Reads the account's list from the oldest followed row on, page by page. Returns how long to wait after trouble, else 0. */
async function followList(context: RunnerContext, followedSince: number): Promise<number> {
  const { list } = context.gateway;
  // The next page is asked for while the news of the one before is written.
  const writing: Promise<void>[] = [];
  let trouble = 0;
  for (let page = 1; list && !context.stopping(); page++) {
    const query = { page, perPage: rowsPerPage, fromMs: followedSince - listMarginMs, toMs: null, oldestFirst: true };
    const outcome = await context.limiter.admit('read', () => list(query));
    if (outcome.kind !== 'page') {
      trouble = await readTrouble(context, 'read', outcome);
      break;
    }
    // An open payment tells nothing new, so only the ended ones (and strange ones) cost a look into the ledger.
    const news = outcome.payments.filter(({ state, unknownStatus }) => state !== 'open' || unknownStatus);
    if (news.length > 0) {
      const written = context.committer.commit(async (unit) => {
        for (const payment of news) await writeNews(unit, context, payment);
      });
      // Its failure is told below, not as one that nobody handles.
      written.catch(() => undefined);
      writing.push(written);
    }
    if (!outcome.hasNext) break;
  }
  await Promise.all(writing);
  return trouble;
}

/** Writes what the service says of a listed payment, if it is the one of a row that is followed. */
async function writeNews(unit: Unit, context: RunnerContext, payment: ServicePayment): Promise<void> {
  const atHand = context.followed.get(payment.topupId);
  if (atHand && (await writeIfOurs(unit, context, atHand, payment))) return;
  const named = payment.reference === null ? null : parseReference(payment.reference);
  if (!named) return;
  const bound = await findPayment(unit.tx, idempotencyKey({ account: context.account, ...named }));
  const row = bound && (await findRow(unit.tx, bound.batch_id, bound.row_no));
  if (row) await writeIfOurs(unit, context, row, payment);
}

/** Whether the payment was the row's and the row was as it is here: then what the service says is written. */
async function writeIfOurs(
  unit: Unit,
  context: RunnerContext,
  row: RowRecord,
  payment: ServicePayment,
): Promise<boolean> {
  const open = context.batches.get(row.batch_id);
  if (!open || row.status !== 'accepted' || row.topup_id !== payment.topupId) return false;
  if (payment.reference !== referenceOf(open.batch, row, row.generation)) return false;
  return (await writeWord(unit, context, open, row, payment)) !== null;
}

async function writeWord(
  unit: Unit,
  context: RunnerContext,
  { withDetails }: OpenBatch,
  row: RowRecord,
  payment: ServicePayment,
): Promise<RowRecord | null> {
  if (payment.unknownStatus && row.service_status !== payment.serviceStatus) {
    context.log.warn('the service gave a status that is not in its specification; the row is followed on', {
      batch: row.batch_id,
      row: row.row_no,
      status: payment.serviceStatus,
    });
    await unit.append(row.batch_id, 'row.unknown_status', { service_status: payment.serviceStatus }, row.row_no);
  }
  return settle(unit, row, payment, { ...context.settings, withDetails, hasList: context.gateway.list !== null });
}

/** Reads the rows that are due by themselves. Returns when the next one is due (epoch ms), or null where none is. */
async function readDueRows(context: RunnerContext): Promise<number | null> {
  const limit = pLimit(readsAtOnce);
  let next: number | null = null;
  for (const open of context.batches.values()) {
    const rows = await dueRows(context.db, open.batch.batch_id, 'accepted', context.clock.now(), readsPerPass);
    await Promise.all(rows.map((row) => limit(() => readRow(context, open, row))));
    const at = await nextDueAt(context.db, open.batch.batch_id, 'accepted');
    if (at !== null) next = Math.min(next ?? at, at);
  }
  return next;
}

async function readRow(context: RunnerContext, open: OpenBatch, row: RowRecord): Promise<void> {
  if (context.stopping()) return;
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
  await waitForMore(unit, context, row, payment?.serviceStatus ?? row.service_status);
}

/** The payment is still open: the next read comes after a while that grows with its age. */
async function waitForMore(
  unit: Unit,
  context: RunnerContext,
  row: RowRecord,
  serviceStatus: string | null,
): Promise<void> {
  const { settings, gateway, log } = context;
  const age = unit.at - (row.accepted_at ?? unit.at);
  const wait = Math.min(settings.readDelayMsMax, Math.max(settings.readDelayMsMin, age / 4));
  const overdue = age >= gateway.policy.settleAlertMs && age - wait < gateway.policy.settleAlertMs;
  if (overdue)
    log.warn('a payment is open for longer than the service promises', { batch: row.batch_id, row: row.row_no });
  const fields = { next_action_at: unit.at + Math.round(wait), service_status: serviceStatus };
  await unit.noteRow(row, fields, overdue ? 'row.overdue' : null, overdue ? { age_ms: age } : {});
}
