import { findPayments, type PaymentRecord, renewKey } from '../../ledger/rows/payments.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { clearLookupRetry, scheduleLookupRetry } from '../doubts/lookup-retry.ts';
import { firstIntentAt } from '../payments/key-age.ts';
import { paymentNames } from '../payments/payment-request.ts';
import type { Asks, Keys, Parts, Writes } from '../runner/context.ts';

export type ForgottenKeysNeeds = Parts<Asks | Writes | Keys | 'batches' | 'picker' | 'wakes'>;

/**
 * From when on (epoch ms) the service has surely forgotten a key, all of whose attempts it refused (no money, nobody
 * there): then the key is as good as new, and the row needs no further generation. Null if an attempt may have been
 * taken, or if the key's age cannot be proved.
 */
export function forgottenAt(
  context: Parts<'gateway' | 'keyScopeFrom' | 'keysProvedFrom'>,
  payment: PaymentRecord,
  now: number,
): number | null {
  const { first_intent_at, open_attempts } = payment;
  if (open_attempts > 0 || firstIntentAt(context, payment, now) !== first_intent_at) return null;
  return first_intent_at + context.gateway.policy.forgottenAgeMsMin;
}

/**
 * Of rows whose turn has come, those that may be sent. Where a row has a forgotten key, the service is asked once
 * more: if it has nothing under the row's reference, the age of the key begins anew; if it has a payment, the row
 * becomes in doubt, and the doubt adopts it.
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
    // Nearly every row is sent for the first time.
    if (open && row.status === 'ready' && row.first_sent_at !== null)
      keys.set(row, paymentNames(open.batch, row, row.generation).key);
  }
  const forgotten = new Map<RowRecord, PaymentRecord>();
  if (keys.size === 0) return forgotten;
  const payments = await findPayments(context.db, [...keys.values()]);
  const now = context.clock.now();
  for (const [row, key] of keys) {
    const payment = payments.get(key);
    // The key of another file's row is found out by the intent.
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
      await clearLookupRetry(tx, row);
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
 * Lets a ready row wait until its key is forgotten. Returns false where that can never be known, or an attempt may
 * have been taken.
 */
export async function waitUntilForgotten(
  unit: Unit,
  context: Parts<'gateway' | 'keyScopeFrom' | 'keysProvedFrom' | 'picker'>,
  row: RowRecord,
  payment: PaymentRecord,
): Promise<boolean> {
  const at = forgottenAt(context, payment, unit.at);
  if (at === null) return false;
  const waiting = await unit.noteRow(row, { next_action_at: at }, null, {});
  if (waiting) context.picker.putBack(waiting, at);
  return true;
}
