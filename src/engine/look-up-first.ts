import { assert } from '../core/assert.ts';
import { doubtReason } from '../core/doubt-words.ts';
import { generationsMax } from '../core/earlier-payment.ts';
import type { ServicePayment } from '../gateway/gateway.ts';
import { dropLostToldBy, lostOf } from '../ledger/lost-payments.ts';
import { findPayment, insertPayments, type PaymentRecord, updateAttempts } from '../ledger/payments.ts';
import type { RowRecord } from '../ledger/rows.ts';
import type { Unit } from '../ledger/unit-of-work.ts';
import type { OpenBatch, RunnerContext } from './context.ts';
import { tellReview, writeReview } from './doubts.ts';
import { firstAttempt, takenBy } from './intents.ts';
import { noteSecond } from './late-differences.ts';
import { nothingUnderWayAt } from './lost-payments.ts';
import { paymentNames, referenceOf } from './orders.ts';
import { putBackUnread, type Unread } from './unread-rows.ts';

/**
 * Of rows whose turn has come, those that may be sent. Nobody knows whether the lost part of the ledger had sent them, under this
 * generation or, where that was refused and left nothing at the service, under a later one: so each is looked up; what the service has
 * becomes a doubt, which adopts it. Of rows in doubt, their own generation was looked up a moment ago.
 */
export async function unknownToTheService(
  context: RunnerContext,
  rows: readonly RowRecord[],
  restoredAtMs: number,
): Promise<RowRecord[]> {
  const from = nothingUnderWayAt(context, restoredAtMs);
  const mayBeSent = await Promise.all(
    rows.map(async (row) => {
      if (row.status !== 'ready' || context.clock.now() >= from) return lookUpFirst(context, row);
      context.picker.putBack(row, from);
      return false;
    }),
  );
  return rows.filter((_, index) => mayBeSent[index]);
}

async function lookUpFirst(context: RunnerContext, row: RowRecord): Promise<boolean> {
  const open = context.batches.get(row.batch_id);
  if (!open) return false;
  const first = row.status === 'ready' ? row.generation : row.generation + 1;
  const found = await lastFound(context, open, row, first);
  if (found === null) return true;
  if (found.kind === 'unread') {
    await putBackUnread(context, row, found);
    return false;
  }
  // By its id: a reference may be somebody's number, and the chain keeps this.
  const why = `the service has its payment ${found.payment.topupId}, and the restored ledger does not`;
  let isLeft = false;
  const isTheirs = await context.committer.commit(async (unit) => {
    const known = await findPayment(unit.tx, paymentNames(open.batch, row, row.generation).key);
    // Another file's row has the key: the intent that follows says so.
    if (known && (await takenBy(unit.tx, row, known))) return true;
    if (row.status === 'ready') await doubtFound(unit, context, open, { row, known }, found);
    else isLeft = await writeReview(unit, row, why, {});
    return false;
  });
  if (isLeft) tellReview(context, row, why);
  context.doubtWake.wake();
  return isTheirs;
}

interface Found {
  kind: 'found';
  generation: number;
  payment: Pick<ServicePayment, 'topupId' | 'state' | 'createdAt'>;
  /** Those of other generations. */
  others: ServicePayment[];
}

/**
 * What the service has of a row's generations from this one on: the last that has not failed, else the last; null where it has none. What
 * its list has told of before is there, though a look-up does not find it.
 */
async function lastFound(
  { db, gateway, limiter }: RunnerContext,
  { batch }: OpenBatch,
  row: RowRecord,
  first: number,
): Promise<Found | Unread | null> {
  let last: Omit<Found, 'others'> | null = null;
  const found: ServicePayment[][] = [];
  for (let generation = first; generation <= generationsMax; generation++) {
    const reference = referenceOf(batch, row, generation);
    const outcome = await limiter.admit('read', () => gateway.lookUp(reference));
    if (outcome.kind === 'not_found') continue;
    if (outcome.kind !== 'found') return { kind: 'unread', reference, problem: outcome };
    const payment = outcome.payments.find(({ state }) => state !== 'failed') ?? outcome.payments[0];
    assert(payment, 'what was found is not nothing');
    found.push(outcome.payments);
    if (last === null || last.payment.state === 'failed' || payment.state !== 'failed')
      last = { kind: 'found', generation, payment };
  }
  if (last !== null) {
    const adopted = last.payment;
    return { ...last, others: found.filter((some) => !some.some((one) => one === adopted)).flat() };
  }
  // Beside what another program may have named like a later one.
  const lost = (await lostOf(db, batch, row)).find(({ generation }) => generation <= generationsMax);
  if (!lost || lost.generation < first) return null;
  const payment = { topupId: lost.topup_id, state: 'open', createdAt: lost.first_sent_at } as const;
  return { kind: 'found', generation: lost.generation, payment, others: [] };
}

/** The row goes on as a doubt under the generation that the service has; the keys of those before it are bound as well, as they were. */
async function doubtFound(
  unit: Unit,
  context: RunnerContext,
  { batch }: OpenBatch,
  { row, known }: { row: RowRecord; known: PaymentRecord | null },
  { generation: last, payment, others }: Found,
): Promise<void> {
  // A time to come is a slip of the service's: nobody knows how old the payment is.
  const paidAt = payment.createdAt !== null && payment.createdAt <= unit.at ? payment.createdAt : null;
  const fields = {
    generation: last,
    // It is a payment of its own from now on, which bears nothing of an earlier one.
    service_status: null,
    next_action_at: unit.at,
    failure_code: 'restored',
    failure_reason: doubtReason,
    // By the service's time, where it tells: other runs are to see it as what was sent then.
    first_sent_at: paidAt ?? unit.at,
  };
  const why = 'the service has it, and the restored ledger does not';
  if (!(await unit.changeRow(row, 'doubt', fields, { why }))) return;
  for (const other of others) {
    const second = await noteSecond(unit, row, other);
    if (second)
      context.log.warn('the service contradicts the ledger', {
        batch_id: row.batch_id,
        row: row.row_no,
        why: second.why,
      });
  }
  const bound: PaymentRecord[] = [];
  // Its key is as old as the payment, or too old where nobody knows: should the next look-ups not find it, it is not sent as a new one.
  const first_intent_at = paidAt ?? unit.at - context.gateway.policy.resendAgeMsMax;
  for (let generation = row.generation; generation <= last; generation++) {
    const names = paymentNames(batch, row, generation);
    const attempt = { ...firstAttempt(context, batch, { ...row, generation }, names, unit.at), first_intent_at };
    const open_attempts = generation === last ? attempt.open_attempts : 0;
    if (generation > row.generation || !known) bound.push({ ...attempt, open_attempts });
    else await updateAttempts(unit.tx, { ...known, open_attempts: known.open_attempts + open_attempts });
  }
  assert(
    (await insertPayments(unit.tx, bound)) === bound.length,
    'a key that was free at the start of a unit is free at its end',
  );
  // Other runs see the row from now on.
  await dropLostToldBy(unit.tx, batch, row);
}
