import { findPayments, type PaymentRecord, renewKey } from '../../ledger/rows/payments.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import { clearUnansweredLookup } from '../../ledger/rows/unanswered-lookups.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { scheduleLookupRetry } from '../doubts/lookup-retry.ts';
import { firstIntentAt } from '../payments/key-age.ts';
import { paymentNames } from '../payments/payment-request.ts';
import type { Asks, Parts, Writes } from '../runner/context.ts';

export type ForgottenKeysNeeds = Parts<Asks | Writes | 'keys' | 'batches' | 'picker' | 'wakes'>;

/**
 * The time (epoch ms) from which the service has certainly forgotten a key, if it refused every attempt under it (no
 * money, service unreachable). From then on the key is as good as new, and the row needs no further generation. Null if
 * an attempt may have been accepted, or if the key's age cannot be proved.
 */
export function forgottenAt(context: Parts<'gateway' | 'keys'>, payment: PaymentRecord, now: number): number | null {
  const { first_intent_at, open_attempts } = payment;
  if (open_attempts > 0 || firstIntentAt(context, payment, now) !== first_intent_at) return null;
  return first_intent_at + context.gateway.policy.forgottenAgeMsMin;
}

/**
 * Returns those of the rows that may be sent. If a row's key is forgotten, the service is asked once more: if it has
 * nothing under the row's reference, the key's age begins again. If it has a payment, the row becomes in doubt, and the
 * doubt's lookup adopts the payment.
 */
export async function withKeysRenewed(
  context: ForgottenKeysNeeds,
  rows: readonly RowRecord[],
): Promise<readonly RowRecord[]> {
  const forgotten = await forgottenKeys(context, rows);
  if (forgotten.size === 0) return rows;
  const mayBeSent = await Promise.all(
    rows.map((row) => {
      const payment = forgotten.get(row);
      return payment === undefined || isNothingThere(context, row, payment);
    }),
  );
  return rows.filter((_, index) => mayBeSent[index]);
}

async function forgottenKeys(
  context: ForgottenKeysNeeds,
  rows: readonly RowRecord[],
): Promise<Map<RowRecord, PaymentRecord>> {
  const keys = new Map<RowRecord, string>();
  for (const row of rows) {
    const open = context.batches.get(row.batch_id);
    // The others are sent for the first time, which applies to nearly every row.
    if (open && row.status === 'ready' && row.first_sent_at !== null)
      keys.set(row, paymentNames(open.batch, row, row.generation).key);
  }
  const forgotten = new Map<RowRecord, PaymentRecord>();
  if (keys.size === 0) return forgotten;
  const payments = await findPayments(context.db, [...keys.values()]);
  const now = context.clock.now();
  for (const [row, key] of keys) {
    const payment = payments.get(key);
    // The row of another file has bound this key. `writeIntents` handles that.
    if (payment?.batch_id !== row.batch_id || payment.row_no !== row.row_no) continue;
    const at = forgottenAt(context, payment, now);
    if (at !== null && at <= now) forgotten.set(row, payment);
  }
  return forgotten;
}

async function isNothingThere(context: ForgottenKeysNeeds, row: RowRecord, payment: PaymentRecord): Promise<boolean> {
  const { gateway, limiter, committer } = context;
  const { reference } = payment;
  const outcome = await limiter.admit('read', () => gateway.lookup(reference));
  if (outcome.kind === 'not_found') {
    return committer.commit(async ({ tx, at }) => {
      await clearUnansweredLookup(tx, row);
      return renewKey(tx, payment, at);
    });
  }
  if (outcome.kind !== 'found') {
    await scheduleLookupRetry(context, row, { kind: 'unread', reference, problem: outcome });
    return false;
  }
  await committer.commit((unit) =>
    unit.changeRow(
      row,
      'doubt',
      { next_action_at: unit.at },
      { why: 'the service has a payment under its refused key' },
    ),
  );
  context.wakes.doubt.wake();
  return false;
}

/**
 * Lets a ready row wait until its key is forgotten. Returns false if that time cannot be known, or if an attempt may
 * have been accepted.
 */
export async function waitUntilForgotten(
  unit: Unit,
  context: Parts<'gateway' | 'keys' | 'picker'>,
  row: RowRecord,
  payment: PaymentRecord,
): Promise<boolean> {
  const at = forgottenAt(context, payment, unit.at);
  if (at === null) return false;
  const waiting = await unit.noteRow(row, { next_action_at: at }, null, {});
  if (waiting) context.picker.putBack(waiting, at);
  return true;
}
