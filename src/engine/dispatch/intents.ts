import { assert } from '../../core/basics/assert.ts';
import { sha256 } from '../../core/identity/ids.ts';
import { type EarlierVerdict, earlierVerdict, type KeyOwner } from '../../core/state/earlier-payment.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { findPayments, insertPayments, type PaymentRecord, updateAttempts } from '../../ledger/rows/payments.ts';
import { findRow, type RowRecord } from '../../ledger/rows/rows.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { isLeftToPerson, logReview, writeReview } from '../doubts/doubts.ts';
import type { ConfirmedFailures } from '../doubts/failed-before.ts';
import { clearLookupRetry } from '../doubts/lookup-retry.ts';
import { firstIntentAt } from '../payments/key-age.ts';
import { paymentNames, paymentRequestOf } from '../payments/payment-request.ts';
import type { OpenBatch, RunnerContext } from '../runner/context.ts';
import { type AlreadySent, alreadySent, holdForPerson, isAnyUnread, noteSent, whyNotAgain } from './already-sent.ts';
import { waitUntilForgotten } from './forgotten-keys.ts';

/** A row whose intent is durable when the unit is: it may be sent once. */
export interface Intent {
  row: RowRecord;
  payment: PaymentRecord;
}

/**
 * Writes that rows of one batch are about to be sent, and binds their keys to their bodies when this is the first
 * time. Rows that are not to be sent now are not among the intents. What was sent before is asked for all of them at
 * once. `unread`: rows before which a payment must be read again that has failed since the `confirmed` ones were read.
 */
export async function writeIntents(
  unit: Unit,
  context: RunnerContext,
  open: OpenBatch,
  rows: readonly RowRecord[],
  confirmed: ConfirmedFailures,
): Promise<{ intents: Intent[]; unread: RowRecord[] }> {
  const { batch } = open;
  const names = rows.map((row) => paymentNames(batch, row, row.generation));
  const payments = await findPayments(
    unit.tx,
    names.map(({ key }) => key),
  );
  const before = await alreadySent(unit, open, rows, context.restoredAt !== null);
  const intents: Intent[] = [];
  const unread: RowRecord[] = [];
  const bound: PaymentRecord[] = [];
  for (const [index, row] of rows.entries()) {
    const { key, reference } = names[index] as (typeof names)[number];
    const known = payments.get(key) ?? null;
    const taken = known && (await keyConflict(unit.tx, row, known));
    if (taken) {
      await yieldToOwner(unit, row, taken);
      continue;
    }
    if (row.status === 'in_doubt' && (await isLeftToPerson(unit.tx, row))) continue;
    if (before && isAnyUnread(open, row, before, confirmed)) {
      unread.push(row);
      continue;
    }
    if (before && (await isLeftForPayment(unit, context, open, row, before))) continue;
    if (known && unit.at - firstIntentAt(context, known, unit.at) >= context.gateway.policy.resendAgeMsMax) {
      if (row.status === 'ready') await leaveTooOld(unit, context, row, known);
      continue;
    }
    const sent = await unit.changeRow(
      row,
      'send',
      {
        ...(row.status === 'ready' ? firstSent(unit.at) : null),
        attempts: row.attempts + 1,
        next_action_at: null,
      },
      { key, attempt: row.attempts + 1 },
    );
    if (!sent) continue;
    if (before && row.status === 'ready') noteSent(before, open, sent, unit.at);
    if (row.generation > 1 || context.restoredAt !== null) await clearLookupRetry(unit.tx, row);
    const payment = known
      ? nextAttempt(known, unit.at)
      : firstAttempt(context, batch, row, { key, reference }, unit.at);
    if (known) {
      assert(known.generation === row.generation, 'a key belongs to one generation');
      await updateAttempts(unit.tx, payment);
    } else {
      bound.push(payment);
    }
    intents.push({ row: sent, payment });
  }
  assert(
    (await insertPayments(unit.tx, bound)) === bound.length,
    'a key that was free at the start of a unit is free at its end',
  );
  return { intents, unread };
}

/**
 * A key too old to be sent by any rule: the doubt's look-ups decide (reliability.md, I4), unless every attempt was
 * refused.
 */
async function leaveTooOld(unit: Unit, context: RunnerContext, row: RowRecord, known: PaymentRecord): Promise<void> {
  if (await waitUntilForgotten(unit, context, row, known)) return;
  const doubted = { ...firstSent(known.first_intent_at), next_action_at: unit.at };
  await unit.changeRow(row, 'doubt', doubted, { why: 'key_too_old' });
}

/** Whether what was sent before leaves the row to a person: a ready one is held, and one in doubt is not sent again. */
async function isLeftForPayment(
  unit: Unit,
  context: RunnerContext,
  open: OpenBatch,
  row: RowRecord,
  before: AlreadySent,
): Promise<boolean> {
  if (row.status === 'ready') return holdForPerson(unit, open, row, before);
  const why = await whyNotAgain(open, row, before);
  if (why === null) return false;
  if (await writeReview(unit, row, why, {})) logReview(context, row, why);
  return true;
}

/**
 * What a ready row bears once it goes: nothing of an earlier payment, which was just looked up and has not arrived;
 * and a time of its own, though it may have been asked for and refused before: whoever released a row of another run
 * meanwhile was told nothing of it.
 */
function firstSent(at: number) {
  return { service_status: null, first_sent_at: at, contradicted: null, contradicted_at: null, contradicted_by: null };
}

export function firstAttempt(
  context: RunnerContext,
  batch: BatchRecord,
  row: RowRecord,
  { key, reference }: { key: string; reference: string },
  at: number,
): PaymentRecord {
  const body = context.gateway.body(paymentRequestOf(row, reference, context.callbackUrl));
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

/** What becomes of a row whose key another row has, and which row that is. */
export interface KeyConflict extends EarlierVerdict {
  owner: KeyOwner;
}

/**
 * Whether `payment`, bound to a row's key, is another row's, and what follows for this one; null where it is the row's
 * own.
 */
export async function keyConflict(db: Queryable, row: RowRecord, payment: PaymentRecord): Promise<KeyConflict | null> {
  if (payment.batch_id === row.batch_id && payment.row_no === row.row_no) return null;
  const owner = await findRow(db, payment.batch_id, payment.row_no);
  assert(owner, 'a bound key has its row');
  return { ...earlierVerdict(row, owner, payment.generation), owner };
}

/** The same run id and row ref were bound before, by another file: this row is not sent, and says who has it. */
async function yieldToOwner(unit: Unit, row: RowRecord, { event, problem, owner }: KeyConflict): Promise<void> {
  const problems = JSON.stringify([{ ...problem, column: null }]);
  const why = event === 'skip' ? problem.code.toLowerCase() : problem.code;
  await unit.changeRow(row, event, { problems }, { why, other_batch: owner.batch_id, other_row: owner.row_no });
}
