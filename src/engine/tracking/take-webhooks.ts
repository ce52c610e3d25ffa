import { dueInbox, type InboxEntry, nextInboxDueAt } from '../../ledger/accounts/webhook-inbox.ts';
import { runSoFar } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { findPayment } from '../../ledger/rows/payments.ts';
import { findRow, findRowByTopup } from '../../ledger/rows/rows.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import type { Parts, Writes } from '../runner/context.ts';
import { close, type Effect, type Handling, type Target, waitForAnswer } from './webhook-notes.ts';
import { takeEarlier, takeEnded, takeUnsent } from './webhook-of-closed-row.ts';
import { takeOpen, type WebhookOfOpenRowNeeds } from './webhook-of-open-row.ts';
import { readWebhookUpdate, type WebhookUpdate } from './webhook-update.ts';

type WebhookInboxNeeds = Parts<Writes | 'pauseAccount' | 'stopping' | 'wakes'> & WebhookOfOpenRowNeeds;

/** How many webhooks are read from the ledger at a time: fewer than one transaction carries. */
const entriesPerPass = 100;

/**
 * Handles the account's due webhooks, each in the transaction that also marks it as handled. A webhook is a hint: it
 * makes the next lookup of its row due now. A webhook ends a row by itself only if its signature covers the whole
 * payment, the payment agrees with the ledger in every field, and the webhook reports that it arrived. Returns when the
 * next webhook is due (epoch ms); null if none waits.
 */
export async function processWebhooks(context: WebhookInboxNeeds): Promise<number | null> {
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

async function act(context: Parts<'log' | 'pauseAccount' | 'wakes'>, { wake, warn, pause }: Effect): Promise<void> {
  if (wake === 'track') context.wakes.track.wake();
  if (wake === 'doubt') context.wakes.doubt.wake();
  if (warn) context.log.warn(warn.message, warn.data);
  if (pause) await context.pauseAccount(pause.reason, pause.why);
}

async function processWebhook(unit: Unit, context: WebhookInboxNeeds, entry: InboxEntry): Promise<Effect> {
  const update = readWebhookUpdate(entry);
  if (!update) {
    const warn = { message: 'a webhook could not be read', data: { digest: entry.body_digest } } as const;
    return close(unit, entry, 'unreadable', { warn });
  }
  if (update.says === 'account') {
    const data = { account: entry.account, says: update.verbatim };
    const warn = { message: 'the service sent a message about the account', data } as const;
    return close(unit, entry, update.verbatim === 'wallet.low_balance' ? 'low_balance' : 'account_event', { warn });
  }
  const target = await findTarget(unit.tx, context.account, update);
  if (!target) {
    await close(unit, entry, 'foreign');
    return (await isOfOurRun(unit.tx, context.account, update)) ? unknownPayment(context.account, update) : {};
  }
  const named = { ...entry, batch_id: target.row.batch_id, row_no: target.row.row_no };
  return processUpdate({ unit, context, entry: named, update }, target);
}

async function findTarget(tx: Queryable, account: string, update: WebhookUpdate): Promise<Target | null> {
  const payment = update.key === null ? null : await findPayment(tx, update.key);
  if (payment && payment.account === account) {
    const row = await findRow(tx, payment.batch_id, payment.row_no);
    return row && { row, payment };
  }
  const row = update.topupId === null ? null : await findRowByTopup(tx, account, update.topupId);
  return row && { row, payment: null };
}

async function isOfOurRun(tx: Queryable, account: string, { runId }: WebhookUpdate): Promise<boolean> {
  return runId !== null && (await runSoFar(tx, account, runId)).batches > 0;
}

/**
 * Handles a webhook of a payment that the ledger does not have. After a restore, such webhooks report the lost
 * payments.
 */
function unknownPayment(account: string, update: WebhookUpdate): Effect {
  const data = { account, run_id: update.runId, topup_id: update.topupId };
  return { warn: { message: 'the service has a payment of this run that is not in this ledger', data } };
}

async function processUpdate(handling: Handling<WebhookOfOpenRowNeeds>, target: Target): Promise<Effect> {
  const { row, payment } = target;
  if (payment && payment.generation !== row.generation) return takeEarlier(handling, row, payment);
  switch (row.status) {
    case 'sending':
      return waitForAnswer(handling);
    case 'accepted':
    case 'in_doubt':
      return takeOpen(handling, target);
    case 'completed':
    case 'failed':
      return takeEnded(handling, target);
    default:
      return takeUnsent(handling, target);
  }
}
