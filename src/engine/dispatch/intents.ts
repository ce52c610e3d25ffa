import { allEnded } from '../../core/basics/all-ended.ts';
import { assert } from '../../core/basics/assert.ts';
import type { KeyOwner } from '../../core/duplicates/question.ts';
import { sha256 } from '../../core/identity/ids.ts';
import { type BatchRecord, findBatch } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { keyOwnerOf } from '../../ledger/rows/earlier-payments.ts';
import { bindFreeKeys, findPayments, type PaymentRecord, updateAttempts } from '../../ledger/rows/payments.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import { clearUnansweredLookup } from '../../ledger/rows/unanswered-lookups.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { isLeftToPerson, logEscalation, writeEscalation } from '../doubts/doubts.ts';
import type { ConfirmedFailures } from '../doubts/failed-before.ts';
import { firstIntentAt } from '../payments/key-age.ts';
import { paymentNames, paymentRequestOf } from '../payments/payment-request.ts';
import type { Parts } from '../runner/context.ts';
import type { OpenBatch } from '../runner/open-batches.ts';
import {
  decideRow,
  type EarlierToRows,
  findEarlier,
  holdOrSkip,
  isAnyUnread,
  noteSent,
  whyNotAgain,
} from './duplicates.ts';
import { waitUntilForgotten } from './forgotten-keys.ts';

type IntentsNeeds = Parts<'keys' | 'callbackUrl' | 'gateway' | 'log' | 'picker' | 'restoredAt'>;

/** A row whose intent is durable once the unit is. It may be sent once. */
export interface Intent {
  row: RowRecord;
  payment: PaymentRecord;
}

/**
 * Writes the intents of rows of one batch, and binds their keys to their bodies at the first attempt. Returns intents
 * only for rows that may be sent now. `unread`: rows that must wait until a payment is read again, because it has
 * failed since the `confirmed` ones were read. What is read or changed for several rows is asked at once, because each
 * round trip to a database server keeps all other writers waiting.
 */
export async function writeIntents(
  unit: Unit,
  context: IntentsNeeds,
  open: OpenBatch,
  rows: readonly RowRecord[],
  confirmed: ConfirmedFailures,
): Promise<{ intents: Intent[]; unread: RowRecord[] }> {
  const names = rows.map((row) => paymentNames(open.batch, row, row.generation));
  const [batch, payments, before] = await allEnded([
    findBatch(unit.tx, open.batch.batch_id),
    findPayments(
      unit.tx,
      names.map(({ key }) => key),
    ),
    findEarlier(unit, open, rows, context.restoredAt !== null),
  ]);
  // Another process may have paused the batch since it was last read.
  if (batch?.status !== 'running') return { intents: [], unread: [] };
  const unread: RowRecord[] = [];
  const writing: Promise<Intent | null>[] = [];
  const writingTo = new Map<string | null, Promise<Intent | null>>();
  try {
    for (const [index, row] of rows.entries()) {
      const name = names[index] as (typeof names)[number];
      const known = payments.get(name.key) ?? null;
      // A row is also compared with what this unit sends to its number.
      await writingTo.get(row.phone_number);
      const answer = await maySend(unit, context, before, { row, known, confirmed });
      if (answer === 'unread') unread.push(row);
      if (answer !== 'yes') continue;
      const written = writeIntent(unit, context, before, { row, known, name });
      writing.push(written);
      writingTo.set(row.phone_number, written);
    }
  } finally {
    // If one fails, the others must not go on after the unit has ended.
    await Promise.allSettled(writing);
  }
  const intents = (await allEnded(writing)).filter((intent) => intent !== null);
  const bound = intents.flatMap(({ payment }) => (payments.has(payment.idempotency_key) ? [] : [payment]));
  unit.tx.last(bindFreeKeys(unit.tx, bound));
  return { intents, unread };
}

/** Whether a row whose turn has come may be sent now. If not for long, its state says why. */
async function maySend(
  unit: Unit,
  context: IntentsNeeds,
  before: EarlierToRows,
  { row, known, confirmed }: { row: RowRecord; known: PaymentRecord | null; confirmed: ConfirmedFailures },
): Promise<'yes' | 'no' | 'unread'> {
  const owner = known && (await otherOwner(unit.tx, row, known));
  if (row.status === 'in_doubt' && (await isLeftToPerson(unit.tx, row))) return 'no';
  if (owner === null && isAnyUnread(before, row, confirmed)) return 'unread';
  if (await isHeldOrSkipped(unit, context, before, row, owner)) return 'no';
  if (!known || unit.at - firstIntentAt(context, known, unit.at) < context.gateway.policy.resendAgeMsMax) return 'yes';
  if (row.status === 'ready') await leaveTooOld(unit, context, row, known);
  return 'no';
}

/** Null if another writer has changed the row first. A payment that is not `known` is not in the ledger yet. */
async function writeIntent(
  unit: Unit,
  context: IntentsNeeds,
  before: EarlierToRows,
  {
    row,
    known,
    name: { key, reference },
  }: { row: RowRecord; known: PaymentRecord | null; name: { key: string; reference: string } },
): Promise<Intent | null> {
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
  if (!sent) return null;
  if (row.status === 'ready') noteSent(before, sent, unit.at);
  if (row.generation > 1 || context.restoredAt !== null) await clearUnansweredLookup(unit.tx, row);
  if (!known)
    return {
      row: sent,
      payment: firstAttempt(context, before.open.batch, row, { key, reference }, unit.at),
    };
  assert(known.generation === row.generation, 'a key belongs to one generation');
  const payment = nextAttempt(known, unit.at);
  await updateAttempts(unit.tx, payment);
  return { row: sent, payment };
}

/**
 * Handles a ready row whose key is too old to be sent. If every attempt was refused, the row waits until the key is
 * forgotten. Otherwise it becomes in doubt, and lookups decide (reliability.md, I4).
 */
async function leaveTooOld(
  unit: Unit,
  context: Parts<'gateway' | 'keys' | 'picker'>,
  row: RowRecord,
  known: PaymentRecord,
): Promise<void> {
  if (await waitUntilForgotten(unit, context, row, known)) return;
  const doubted = { ...firstSent(known.first_intent_at), next_action_at: unit.at };
  await unit.changeRow(row, 'doubt', doubted, { why: 'key_too_old' });
}

/**
 * Whether an earlier payment stops the row: a ready row is then skipped or held, and a row in doubt is left to a
 * person.
 */
async function isHeldOrSkipped(
  unit: Unit,
  context: Parts<'log'>,
  before: EarlierToRows,
  row: RowRecord,
  owner: KeyOwner | null,
): Promise<boolean> {
  if (row.status === 'ready') {
    const decision = await decideRow(unit, before, row, owner);
    if (decision.outcome === 'pay') return false;
    await holdOrSkip(unit, row, decision);
    return true;
  }
  const why = whyNotAgain(before, row);
  if (why === null) return false;
  if (await writeEscalation(unit, row, why, {})) logEscalation(context, row, why.text);
  return true;
}

/**
 * The fields of a ready row at its first sending. Facts of an earlier payment are cleared, because it was just looked
 * up and has not arrived. The time is new even if the row was sent and refused before: a person who released a row of
 * another run in between did not see this payment.
 */
function firstSent(at: number) {
  return { service_status: null, first_sent_at: at, contradicted: null, contradicted_at: null, contradicted_by: null };
}

export function firstAttempt(
  context: Parts<'callbackUrl' | 'gateway'>,
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

/** The row that has bound the key of this payment, which is also the key of `row`; null if that is `row` itself. */
export async function otherOwner(db: Queryable, row: RowRecord, payment: PaymentRecord): Promise<KeyOwner | null> {
  if (payment.batch_id === row.batch_id && payment.row_no === row.row_no) return null;
  return keyOwnerOf(db, payment);
}
