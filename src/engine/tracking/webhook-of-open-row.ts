import type { ServicePayment } from '../../gateway/contract/gateway.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import { settle } from '../payments/settle.ts';
import type { Parts } from '../runner/context.ts';
import {
  close,
  contradict,
  differs,
  type Effect,
  type Handling,
  halt,
  noteRefund,
  type Target,
  write,
} from './webhook-notes.ts';

export type WebhookOfOpenRowNeeds = Parts<'account' | 'gateway' | 'service' | 'settings' | 'settlementStats'>;

/**
 * The delays of the lookups that a webhook causes, until the row is terminal. The first lookup may be answered with a
 * state from before the webhook, and the service's reads may lag behind its webhooks.
 */
const lookWaitsMs = [2_000, 10_000, 60_000] as const;

type HandlingOfOpenRow = Handling<WebhookOfOpenRowNeeds>;

export async function takeOpen(handling: HandlingOfOpenRow, { row, payment }: Target): Promise<Effect> {
  const { unit, context, entry, update } = handling;
  if (payment && update.payment) {
    const difference = differs(row, payment, update.payment);
    if (difference) return halt(handling, row, difference);
    if (row.status === 'in_doubt' && update.payment.state !== 'failed') return adopt(handling, row, update.payment);
  }
  if (row.status === 'accepted') {
    if (update.says === 'open') return close(unit, entry, 'nothing_new');
    // After a failure the row may be paid again, so a read must confirm it first.
    const isFailure = update.payment?.state === 'failed';
    if (payment && !isFailure && update.payment?.topupId === row.topup_id && coversAll(row, update.payment)) {
      await settle(unit, context, row, update.payment, { by: 'webhook' });
      noteWebhook(handling, row, update.payment);
      return close(unit, entry, 'settled');
    }
  }
  const isFirstLook = entry.looks === 0;
  if (isFirstLook && row.status === 'accepted') noteWebhook(handling, row, null);
  const refund = update.says === 'refunded' && isFirstLook ? await noteRefund(unit, row, update) : {};
  return { ...refund, ...(await lookNow(handling, row)) };
}

/**
 * Adopts the payment of a row in doubt from a webhook that has the whole payment, signed: it is paid or about to be,
 * whatever lookups find. A failed payment is left to lookups, because the reference may have another payment. If the
 * webhook lacks a part of the payment, the row does not end with it, but is followed.
 */
async function adopt(
  { unit, context, entry }: HandlingOfOpenRow,
  row: RowRecord,
  said: ServicePayment,
): Promise<Effect> {
  const evidence = { by: 'webhook' };
  await unit.append(row.batch_id, 'row.adopt', { ...evidence, topup_id: said.topupId }, row.row_no);
  await settle(unit, context, row, coversAll(row, said) ? said : { ...said, state: 'open' }, evidence);
  return close(unit, entry, 'settled', { wake: 'track' });
}

function noteWebhook(
  { unit, context: { settlementStats, settings } }: HandlingOfOpenRow,
  row: RowRecord,
  said: ServicePayment | null,
): void {
  // By our own clock: a followed row is due for a read of its own this long after its acceptance.
  const ageMs = unit.at - ((row.next_action_at ?? unit.at) - settings.listFollowMs);
  settlementStats.noteWebhook(said, { acceptedAt: row.accepted_at, ageMs });
}

/** Schedules the row's next lookup for now, and checks later that it settled the row. */
async function lookNow(handling: HandlingOfOpenRow, row: RowRecord): Promise<Effect> {
  const { unit, entry, update } = handling;
  const wait = lookWaitsMs[entry.looks];
  if (wait === undefined) {
    // The person who decides must know that a webhook reported a payment.
    if (row.status === 'in_doubt') return contradict(handling, row, 'a webhook reports a payment that no lookup finds');
    return close(unit, entry, update.says === 'refunded' ? 'refund_noted' : 'still_open');
  }
  await unit.noteRow(row, { next_action_at: unit.at }, null, {});
  await write(unit, { ...entry, looks: entry.looks + 1, due_at: unit.at + wait });
  return { wake: row.status === 'in_doubt' ? 'doubt' : 'track' };
}

/** Whether the payment has all fields that are needed to end a row. `differs` has already compared their values. */
function coversAll(row: RowRecord, said: ServicePayment): boolean {
  const ended = said.state !== 'open' && !said.unknownStatus && said.cost !== null;
  const bought = row.amount === null ? said.productId !== null : said.amount !== null;
  return ended && bought && said.full && said.phoneNumber !== null;
}
