import { assert } from '../core/assert.ts';
import { findPayment, insertPayments, type PaymentRecord, updateAttempts } from '../ledger/payments.ts';
import type { RowRecord } from '../ledger/rows.ts';
import type { RunnerContext } from './context.ts';
import { firstAttempt } from './intents.ts';
import { paymentNames } from './orders.ts';
import { readTrouble } from './read-trouble.ts';

/**
 * Of rows whose turn has come, those that may be sent. Nobody knows whether the lost part of the ledger had sent them, so each
 * is looked up; what the service has becomes a doubt, which adopts it. Rows in doubt were looked up a moment ago.
 */
export async function unknownToTheService(
  context: RunnerContext,
  rows: readonly RowRecord[],
  restoredAtMs: number,
): Promise<RowRecord[]> {
  // Requests of the lost program may still be under way.
  const from = restoredAtMs + (context.gateway.policy.lookUpDelaysMs[0] ?? 0);
  const mayBeSent = await Promise.all(
    rows.map(async (row) => {
      if (row.status !== 'ready') return true;
      if (context.clock.now() >= from) return lookUpFirst(context, row);
      context.picker.putBack(row, from);
      return false;
    }),
  );
  return rows.filter((_, index) => mayBeSent[index]);
}

async function lookUpFirst(context: RunnerContext, row: RowRecord): Promise<boolean> {
  const open = context.batches.get(row.batch_id);
  if (!open) return false;
  const { key, reference } = paymentNames(open.batch, row, row.generation);
  const outcome = await context.limiter.admit('read', () => context.gateway.lookUp(reference));
  if (outcome.kind === 'not_found') return true;
  if (outcome.kind !== 'found') {
    const wait = await readTrouble(context, 'read', outcome);
    context.picker.putBack(row, context.clock.now() + wait);
    return false;
  }
  await context.committer.commit(async (unit) => {
    const known = await findPayment(unit.tx, key);
    // Another file's row has the key: the intent that follows says so.
    if (known && (known.batch_id !== row.batch_id || known.row_no !== row.row_no)) return;
    const why = 'the service has it, and the restored ledger does not';
    const fields = {
      next_action_at: unit.at,
      failure_code: 'restored',
      failure_reason: 'It is being looked up.',
      // By the service's time, where it tells: other runs are to see it as what was sent then.
      first_sent_at: outcome.payments[0]?.createdAt ?? unit.at,
    };
    const doubted = await unit.changeRow(row, 'doubt', fields, { why });
    if (!doubted) return;
    const payment: PaymentRecord = known ?? firstAttempt(context, open.batch, row, { key, reference }, unit.at);
    if (known) await updateAttempts(unit.tx, { ...known, open_attempts: known.open_attempts + 1 });
    else
      assert(
        (await insertPayments(unit.tx, [payment])) === 1,
        'a key that was free at the start of a unit is free at its end',
      );
  });
  context.doubtWake.wake();
  return false;
}
