import { paymentMayHaveArrived } from '../../core/state/earlier-payment.ts';
import { type OtherRow, unsentRowsTo } from '../../ledger/rows/failed-payments.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import type { Asks, Parts, Writes } from '../runner/context.ts';
import { lookupFrom } from './earlier-generations.ts';
import { type LookupRetry, withOthersRead } from './lookup-retry.ts';
import { storeLost } from './lost-payments.ts';

type LostOfOthersNeeds = Parts<Asks | Writes | 'account' | 'picker'>;

/**
 * After a restore, where the service has no list (Version 1): looks up the payments that the lost part of the ledger
 * may have made for rows of other batches to the same numbers. This includes files that are run again. What exists is
 * stored like a listed payment, so that it holds a row that would repeat it, before or after its own row has its turn.
 * Returns the rows that need not wait for a lookup.
 */
export async function withLostOfOthers(
  context: LostOfOthersNeeds,
  rows: readonly RowRecord[],
): Promise<readonly RowRecord[]> {
  const { account, db, gateway } = context;
  if (gateway.list !== null) return rows;
  const ready = rows.filter(({ status }) => status === 'ready');
  const numbers = new Set(ready.flatMap(({ phone_number }) => (phone_number === null ? [] : [phone_number])));
  const others = await unsentRowsTo(db, account, [...numbers]);
  const othersOf = ({ status, phone_number, batch_id }: RowRecord) =>
    others.filter((one) => status === 'ready' && one.phone_number === phone_number && one.batch_id !== batch_id);
  return withOthersRead(context, rows, othersOf, (other) => storeLostOf(context, other));
}

/**
 * Looks up the payments that may have been made for a row since the backup, and stores those that exist. Returns the
 * lookup that was not answered, or null.
 */
async function storeLostOf(context: LostOfOthersNeeds, other: OtherRow): Promise<LookupRetry | null> {
  const first = other.status === 'failed' ? other.generation + 1 : other.generation;
  const generations = await lookupFrom(context, other, other, first);
  if ('kind' in generations) return generations;
  const found = generations.flatMap(({ reference, payments }) =>
    payments
      .filter(paymentMayHaveArrived)
      .map((payment) => ({ ...payment, reference, phoneNumber: other.phone_number ?? '' })),
  );
  if (found.length > 0) await context.committer.commit((unit) => storeLost(unit, context.account, found));
  return null;
}
