import { assert } from '../core/assert.ts';
import type { BatchPolicy } from '../core/batch-policy.ts';
import { earlierVerdict, repeatProblem } from '../core/earlier-payment.ts';
import { sha256 } from '../core/ids.ts';
import type { BatchRecord } from '../ledger/batches.ts';
import { findPayment, insertPayment, type PaymentRecord, updateAttempts } from '../ledger/payments.ts';
import { findRow, type RowRecord } from '../ledger/rows.ts';
import { sentLately } from '../ledger/sent-lately.ts';
import type { Unit } from '../ledger/unit-of-work.ts';
import type { OpenBatch, RunnerContext } from './context.ts';
import { orderOf, paymentNames } from './orders.ts';

/** A row whose intent is durable when the unit is: it may be sent once. Null: it is not to be sent now. */
export type Intent = { row: RowRecord; payment: PaymentRecord } | null;

/** Writes that a row is about to be sent, and binds its key to its body when this is the first time. */
export async function writeIntent(
  unit: Unit,
  context: RunnerContext,
  { batch, policy }: OpenBatch,
  row: RowRecord,
): Promise<Intent> {
  const { key, reference } = paymentNames(batch, row, row.generation);
  const known = await findPayment(unit.tx, key);
  if (known && (known.batch_id !== row.batch_id || known.row_no !== row.row_no)) {
    await yieldToOwner(unit, row, known);
    return null;
  }
  if (row.status === 'ready' && (await holdRepeated(unit, batch, policy, row))) return null;
  if (known && unit.at - known.first_intent_at >= context.gateway.policy.resendAgeMsMax) {
    // Too old to be sent by any rule: the doubt's look-ups decide (reliability.md, I4).
    if (row.status === 'ready') await unit.changeRow(row, 'doubt', { next_action_at: unit.at }, { why: 'key_too_old' });
    return null;
  }
  const sent = await unit.changeRow(
    row,
    'send',
    { attempts: row.attempts + 1, first_sent_at: row.first_sent_at ?? unit.at, next_action_at: null },
    { key, attempt: row.attempts + 1 },
  );
  if (!sent) return null;
  const payment = known ? nextAttempt(known, unit.at) : firstAttempt(context, batch, row, { key, reference }, unit.at);
  if (known) {
    assert(known.generation === row.generation, 'a key belongs to one generation');
    await updateAttempts(unit.tx, payment);
  } else {
    const bound = await insertPayment(unit.tx, payment);
    assert(bound, 'a key that was free at the start of a unit is free at its end');
  }
  return { row: sent, payment };
}

export function firstAttempt(
  context: RunnerContext,
  batch: BatchRecord,
  row: RowRecord,
  { key, reference }: { key: string; reference: string },
  at: number,
): PaymentRecord {
  const body = context.gateway.body(orderOf(row, reference, context.callbackUrl));
  return {
    idempotency_key: key,
    account: batch.account,
    batch_id: row.batch_id,
    row_no: row.row_no,
    generation: row.generation,
    reference,
    body,
    body_digest: sha256(body),
    attempts: 1,
    open_attempts: 1,
    first_intent_at: at,
    last_intent_at: at,
    lookups: 0,
    aged_lookups: 0,
    resends: 0,
    same_errors: 0,
    last_evidence: null,
  };
}

function nextAttempt(payment: PaymentRecord, at: number): PaymentRecord {
  const doubtful = payment.open_attempts > 0;
  return {
    ...payment,
    attempts: payment.attempts + 1,
    open_attempts: payment.open_attempts + 1,
    last_intent_at: at,
    lookups: 0,
    resends: payment.resends + (doubtful ? 1 : 0),
  };
}

/** The same run id and row ref were bound before, by another file: this row is not sent, and says who has it. */
async function yieldToOwner(unit: Unit, row: RowRecord, payment: PaymentRecord): Promise<void> {
  const owner = await findRow(unit.tx, payment.batch_id, payment.row_no);
  assert(owner, 'a bound key has its row');
  const { event, problem } = earlierVerdict(row, owner);
  const problems = JSON.stringify([{ ...problem, column: null }]);
  const why = problem.code === 'ALREADY_PAID' ? 'already_paid' : problem.code;
  await unit.changeRow(row, event, { problems }, { why, other_batch: owner.batch_id, other_row: owner.row_no });
}

const dayMs = 24 * 3_600_000;

/**
 * Another run has sent the same to the same number, perhaps since this file was taken in: the row waits for a person, unless
 * one has let it go already. Returns whether the row is not to be sent.
 */
async function holdRepeated(unit: Unit, batch: BatchRecord, policy: BatchPolicy, row: RowRecord): Promise<boolean> {
  if (policy.repeatWithinDays === 0 || row.released_at !== null || row.phone_number === null) return false;
  const query = {
    account: batch.account,
    runId: batch.run_id,
    since: Math.min(batch.created_at, unit.at) - policy.repeatWithinDays * dayMs,
  };
  const found = repeatProblem(row, await sentLately(unit.tx, query, [row.phone_number]));
  if (!found) return false;
  const { problem, other } = found;
  const problems = JSON.stringify([{ ...problem, column: null }]);
  await unit.changeRow(
    row,
    'hold',
    { problems },
    { why: problem.code, other_batch: other.batch_id, other_row: other.row_no },
  );
  return true;
}
