import { assert } from '../../core/basics/assert.ts';
import { doubtReason, doubtWhy } from '../../core/state/doubt-texts.ts';
import { generationsMax } from '../../core/state/earlier-payment.ts';
import type { EventWhy } from '../../core/state/event-whys.ts';
import type { ServicePayment } from '../../gateway/contract/gateway.ts';
import { dropLostExplainedBy, lostOf } from '../../ledger/rows/lost-payments.ts';
import { bindFreeKeys, findPayment, type PaymentRecord, updateAttempts } from '../../ledger/rows/payments.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { logEscalation, writeEscalation } from '../doubts/doubts.ts';
import { lookupFrom } from '../doubts/earlier-generations.ts';
import { type LookupRetry, scheduleLookupRetry } from '../doubts/lookup-retry.ts';
import { nothingUnderWayAt } from '../doubts/lost-payments.ts';
import { noteSecond } from '../payments/late-differences.ts';
import { paymentNames } from '../payments/payment-request.ts';
import type { Asks, Parts, Writes } from '../runner/context.ts';
import type { OpenBatch } from '../runner/open-batches.ts';
import { haltPaidTwice } from '../tracking/apply-status-update.ts';
import { firstAttempt, otherOwner } from './intents.ts';

export type RestoreLookupNeeds = Parts<
  Asks | Writes | 'account' | 'batches' | 'callbackUrl' | 'picker' | 'service' | 'wakes'
>;

/**
 * Returns those of the rows that may be sent after a restore. The lost part of the ledger may have sent them, under
 * this generation or a later one, so each is looked up first. A row that the service knows becomes in doubt, and the
 * doubt's lookup adopts its payment. For a row in doubt, its own generation has just been looked up.
 */
export async function restoreLookup(
  context: RestoreLookupNeeds,
  rows: readonly RowRecord[],
  restoredAtMs: number,
): Promise<RowRecord[]> {
  const from = nothingUnderWayAt(context, restoredAtMs);
  const mayBeSent = await Promise.all(
    rows.map(async (row) => {
      if (row.status !== 'ready' || context.clock.now() >= from) return lookupFirst(context, row);
      context.picker.putBack(row, from);
      return false;
    }),
  );
  return rows.filter((_, index) => mayBeSent[index]);
}

async function lookupFirst(context: RestoreLookupNeeds, row: RowRecord): Promise<boolean> {
  const open = context.batches.get(row.batch_id);
  if (!open) return false;
  const first = row.status === 'ready' ? row.generation : row.generation + 1;
  const found = await lastFound(context, open, row, first);
  if (found === null) return true;
  if (found.kind === 'unread') {
    await scheduleLookupRetry(context, row, found);
    return false;
  }
  // The payment is named by its id: a reference may contain a phone number, and the audit chain keeps this text for
  // ever.
  const { topupId: topup_id } = found.payment;
  const why = `the service has its payment ${topup_id}, and the restored ledger does not`;
  let isLeft = false;
  const isTheirs = await context.committer.commit(async (unit) => {
    const known = await findPayment(unit.tx, paymentNames(open.batch, row, row.generation).key);
    // The row of another file has this key. `writeIntents` handles that.
    if (known && (await otherOwner(unit.tx, row, known))) return true;
    if (row.status === 'ready') await doubtFound(unit, context, open, { row, known }, found);
    else isLeft = await writeEscalation(unit, row, doubtWhy('DOUBT_RESTORED', { topup_id }, why), {});
    return false;
  });
  if (isLeft) logEscalation(context, row, why);
  context.wakes.doubt.wake();
  return isTheirs;
}

interface Found {
  kind: 'found';
  generation: number;
  payment: Pick<ServicePayment, 'topupId' | 'state' | 'createdAt'>;
  /** The payments of other generations. */
  others: ServicePayment[];
}

/**
 * Looks up a row's generations from this one on. Returns the last payment that has not failed, else the last one; null
 * if the service has none. A payment that the list has shown exists, even if a lookup does not find it.
 */
async function lastFound(
  context: Parts<'db' | 'gateway' | 'limiter'>,
  { batch }: OpenBatch,
  row: RowRecord,
  first: number,
): Promise<Found | LookupRetry | null> {
  const found = await lookupFrom(context, batch, row, first);
  if ('kind' in found) return found;
  let last: Omit<Found, 'others'> | null = null;
  for (const { generation, payments } of found) {
    const payment = payments.find(({ state }) => state !== 'failed') ?? payments[0];
    assert(payment, 'what was found is not nothing');
    if (last === null || last.payment.state === 'failed' || payment.state !== 'failed')
      last = { kind: 'found', generation, payment };
  }
  if (last !== null) {
    const adopted = last.payment;
    const others = found.flatMap(({ payments }) => (payments.some((one) => one === adopted) ? [] : payments));
    return { ...last, others };
  }
  // Another program may have used a reference that looks like a later generation.
  const lost = (await lostOf(context.db, batch, row)).find(({ generation }) => generation <= generationsMax);
  if (!lost || lost.generation < first) return null;
  const payment = { topupId: lost.topup_id, state: 'open', createdAt: lost.first_sent_at } as const;
  return { kind: 'found', generation: lost.generation, payment, others: [] };
}

/**
 * Makes the row a doubt of the generation that the service has. Binds the keys of this and all generations before it,
 * as the lost part of the ledger did.
 */
async function doubtFound(
  unit: Unit,
  context: RestoreLookupNeeds,
  { batch }: OpenBatch,
  { row, known }: { row: RowRecord; known: PaymentRecord | null },
  { generation: last, payment, others }: Found,
): Promise<void> {
  // A time in the future is a mistake of the service, so the payment's age is unknown.
  const paidAt = payment.createdAt !== null && payment.createdAt <= unit.at ? payment.createdAt : null;
  const fields = {
    generation: last,
    // Facts of an earlier payment are cleared: the row now has its own payment.
    service_status: null,
    next_action_at: unit.at,
    failure_code: 'restored',
    failure_reason: doubtReason,
    // The service's time, if known: other runs must see when the row was really sent.
    first_sent_at: paidAt ?? unit.at,
  };
  const why: EventWhy = 'the service has it, and the restored ledger does not';
  if (!(await unit.changeRow(row, 'doubt', fields, { why }))) return;
  for (const other of others) {
    const second = await noteSecond(unit, row, other);
    if (second)
      context.log.warn('the service contradicts the ledger', {
        batch_id: row.batch_id,
        row: row.row_no,
        why: second.why,
      });
    if (second?.isPaidTwice) await haltPaidTwice(unit, context, row, other.topupId);
  }
  const bound: PaymentRecord[] = [];
  // The key is as old as the payment. If that age is unknown, the key counts as too old, so that a lookup that finds
  // nothing does not lead to a new sending.
  const first_intent_at = paidAt ?? unit.at - context.gateway.policy.resendAgeMsMax;
  for (let generation = row.generation; generation <= last; generation++) {
    const names = paymentNames(batch, row, generation);
    const attempt = { ...firstAttempt(context, batch, { ...row, generation }, names, unit.at), first_intent_at };
    const open_attempts = generation === last ? attempt.open_attempts : 0;
    if (generation > row.generation || !known) bound.push({ ...attempt, open_attempts });
    else await updateAttempts(unit.tx, { ...known, open_attempts: known.open_attempts + open_attempts });
  }
  await bindFreeKeys(unit.tx, bound);
  // Other runs now see the row instead of the lost payments.
  await dropLostExplainedBy(unit.tx, batch, row);
}
