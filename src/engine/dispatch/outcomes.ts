import { assert, unreachable } from '../../core/basics/assert.ts';
import { withJitter } from '../../core/basics/random.ts';
import { doubtReason } from '../../core/state/doubt-texts.ts';
import { generationsMax } from '../../core/state/earlier-payment.ts';
import type { EventWhy } from '../../core/state/event-whys.ts';
import { refusedByService, type Why } from '../../core/state/pause-texts.ts';
import type { CreateOutcome, Evidence } from '../../gateway/contract/gateway.ts';
import type { ExplainedData } from '../../ledger/audit/events.ts';
import { type PaymentRecord, updateAttempts } from '../../ledger/rows/payments.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { writePause } from '../batches/pausing.ts';
import { type LastEvidence, lastEvidence } from '../doubts/in-doubt.ts';
import { noteEarlierArrived } from '../payments/late-differences.ts';
import { mismatch, otherPayment } from '../payments/payment-request.ts';
import { evidenceData, settle } from '../payments/settle.ts';
import type { Parts } from '../runner/context.ts';
import { forgottenAt } from './forgotten-keys.ts';
import type { Intent } from './intents.ts';

export type OutcomesNeeds = Parts<'keys' | 'account' | 'gateway' | 'picker' | 'random' | 'service' | 'settings'>;

/** What dispatch must do once an outcome is durable. */
export interface AfterOutcome {
  /** The row is ready again, and may be sent from this time on (epoch ms). */
  readyAt?: number;
  /** The account must stop. Its batches are already paused. */
  pause?: { reason: 'insufficient_balance' | 'credentials_rejected' | 'service_mismatch'; why: Why };
}

type Accepted = Extract<CreateOutcome, { kind: 'accepted' }>;

/**
 * Whether the service accepted the very payment that was asked for. Such an outcome changes nothing but its row. That
 * of a later generation may show that the row is paid twice, which halts the account.
 */
export function isAsExpected({ row, payment }: Intent, outcome: CreateOutcome): boolean {
  if (outcome.kind !== 'accepted' || row.generation > 1) return false;
  return mismatch(row, payment.reference, outcome.payment) === null;
}

/**
 * Writes the outcome of a request to create, and returns what follows from it. The row is still `sending`. If the
 * account must stop, its pause is written in the same transaction: otherwise, after a crash between two transactions,
 * its batches would continue to send.
 */
export async function writeOutcome(
  unit: Unit,
  context: OutcomesNeeds,
  sent: Intent,
  outcome: CreateOutcome,
): Promise<AfterOutcome> {
  const after =
    outcome.kind === 'accepted'
      ? await writeAccepted(unit, context, sent, outcome)
      : await writeTrouble(unit, context, sent, outcome);
  if (after.pause) await writePause(unit, context, after.pause.reason, after.pause.why);
  return after;
}

/**
 * Writes the most frequent outcome. The other facts of the answer matter only if its payment does not match the row.
 */
async function writeAccepted(
  unit: Unit,
  context: Parts<'gateway' | 'settings'>,
  { row, payment }: Intent,
  outcome: Accepted,
): Promise<AfterOutcome> {
  const difference = mismatch(row, payment.reference, outcome.payment);
  if (difference) {
    const why: EventWhy = `the answer names ${difference}`;
    await doubt(unit, context, row, noteEvidence(payment, outcome), { ...outcomeData(outcome), why });
    const text = `the service answered row ${row.row_no} of batch ${row.batch_id} with ${difference}`;
    return { pause: { reason: 'service_mismatch', why: otherPayment(row, difference, text) } };
  }
  await settle(unit, context, row, outcome.payment);
  return {};
}

async function writeTrouble(
  unit: Unit,
  context: OutcomesNeeds,
  sent: Intent,
  outcome: Exclude<CreateOutcome, Accepted>,
): Promise<AfterOutcome> {
  const { row } = sent;
  const payment = noteEvidence(sent.payment, outcome);
  const data = outcomeData(outcome);
  switch (outcome.kind) {
    case 'refused':
      return writeRefusal(unit, context, row, closed(payment), outcome.evidence);
    case 'exists':
    case 'number_blocked': {
      const at = outcome.kind === 'exists' ? usedUpUntil(context, sent, payment, unit.at) : null;
      if (at !== null) return makeReadyAgain(unit, context, row, closed(payment), { at, charge: false, data });
      // Both answers may refer to this attempt or to an earlier one. A lookup shows which.
      await doubt(unit, context, row, closed(payment), { ...data, why: outcome.kind });
      return {};
    }
    case 'throttled': {
      const why = keptAnswer(unit, context, sent.payment, payment);
      if (why === null)
        return makeReadyAgain(unit, context, row, closed(payment), { at: unit.at, charge: false, data });
      await doubt(unit, context, row, closed(payment), { ...data, why });
      return {};
    }
    case 'account_blocked': {
      const pause = { reason: outcome.reason, why: refusedByService(outcome.evidence) };
      const isKept = mayBeKeptRefusal(row, sent.payment, payment);
      if (isKept && row.generation < generationsMax) {
        await doubt(unit, context, row, closed(payment), { ...data, why: 'the same refusal again' });
        return { pause };
      }
      // The last generation is not used up for lack of money: its row waits until the service has forgotten the key,
      // and so gives it a new answer.
      const at = (isKept && forgottenAt(context, closed(payment), unit.at)) || unit.at;
      return { ...(await makeReadyAgain(unit, context, row, closed(payment), { at, charge: false, data })), pause };
    }
    case 'not_sent': {
      const at =
        unit.at +
        withJitter(Math.min(1_000 * 2 ** row.attempts, context.settings.unreachableWaitMsMax), context.random);
      return makeReadyAgain(unit, context, row, closed(payment), { at, charge: true, data });
    }
    case 'in_doubt':
      await doubt(unit, context, row, payment, data);
      return {};
    default:
      return unreachable(outcome);
  }
}

/**
 * Writes that a request was not made, although its intent is durable: the gate closed before its first byte, or the
 * lease was late. It counts as little as one that was answered with 429.
 */
export async function writeHeldBack(unit: Unit, context: OutcomesNeeds, { row, payment }: Intent): Promise<void> {
  const data: ExplainedData = { why: 'the request was stopped before its first byte' };
  await makeReadyAgain(unit, context, row, closed(payment), { at: unit.at, charge: false, data });
}

/**
 * After this long with nothing but 429s for one key, its answer may be a repeated one: other clients of the account
 * leave it some of the limit within a few one-minute windows.
 */
const throttledMsMax = 60 * 60_000;

/**
 * Why a 429 may be the repeated answer to an earlier request with this key (spec section 4.1, rule 4, does not exempt
 * it). To ask again would be useless for a day, and the whole account would wait each time. Null if the 429 refers to
 * the rate limit, as it should.
 */
function keptAnswer(
  unit: Unit,
  { gateway }: Parts<'gateway'>,
  before: PaymentRecord,
  payment: PaymentRecord,
): EventWhy | null {
  const [last, now] = [lastEvidence(before), lastEvidence(payment)];
  if (last?.kind === 'throttled' && last.requestId && last.requestId === now?.requestId)
    return 'the very same answer again';
  const isLong = unit.at - payment.first_intent_at >= throttledMsMax;
  return isLong && payment.same_errors >= gateway.policy.sameErrorsMax ? 'throttled for an hour' : null;
}

/**
 * Whether the service may be repeating an earlier refusal of this key; a lookup then decides. A different request id
 * shows a new answer: a person who resumes again and again without money is refused each time, and no row may fail for
 * that. If the service sends no request ids, this cannot be known, so the last generation is not used up for it.
 */
function mayBeKeptRefusal({ generation }: RowRecord, before: PaymentRecord, payment: PaymentRecord): boolean {
  if (payment.same_errors < 2) return false;
  const ids = [before, payment].map((one) => lastEvidence(one)?.requestId ?? null);
  if (ids.includes(null)) return generation < generationsMax;
  return ids[0] === ids[1];
}

/**
 * Version 1 may use up a reference when it refuses the request. Right after a refusal for lack of money or for
 * credentials, that does not use up the row's last generation: the row waits until the service has certainly forgotten
 * the reference (epoch ms). Null: lookups decide, also if the service still calls a forgotten reference used.
 */
function usedUpUntil(
  context: Parts<'gateway' | 'keys'>,
  { row, payment: before }: Intent,
  payment: PaymentRecord,
  now: number,
): number | null {
  if (row.generation < generationsMax || lastEvidence(before)?.kind !== 'account_blocked') return null;
  return forgottenAt(context, closed(payment), now);
}

function outcomeData({ kind, evidence }: CreateOutcome): ExplainedData {
  return { outcome: kind, ...evidenceData(evidence) };
}

/** The attempt just made was definitively refused, so it no longer counts among those that may have been charged. */
function closed(payment: PaymentRecord): PaymentRecord {
  assert(payment.open_attempts > 0, 'an attempt is open until its outcome is known');
  return { ...payment, open_attempts: payment.open_attempts - 1 };
}

function noteEvidence(payment: PaymentRecord, { kind, evidence }: CreateOutcome): PaymentRecord {
  const last = lastEvidence(payment);
  const same = last?.code === evidence.code && last.httpStatus === evidence.httpStatus;
  return {
    ...payment,
    same_errors: same ? payment.same_errors + 1 : 1,
    last_evidence: JSON.stringify({ kind, ...evidence } satisfies LastEvidence),
  };
}

/** A definitive refusal ends the row only if every attempt under its key was refused (reliability.md, V2 step 3). */
async function writeRefusal(
  unit: Unit,
  context: Parts<'gateway'>,
  row: RowRecord,
  payment: PaymentRecord,
  evidence: Evidence,
): Promise<AfterOutcome> {
  if (payment.open_attempts > 0) {
    await doubt(unit, context, row, payment, {
      why: 'refused, with an earlier attempt open',
      ...evidenceData(evidence),
    });
    return {};
  }
  await updateAttempts(unit.tx, payment);
  const failure = { failure_code: evidence.code, failure_reason: evidence.message, completed_at: unit.at };
  const failed = await unit.changeRow(row, 'fail', failure, evidenceData(evidence));
  if (failed !== null) await noteEarlierArrived(unit, failed);
  return {};
}

async function makeReadyAgain(
  unit: Unit,
  context: Parts<'gateway' | 'picker'>,
  row: RowRecord,
  payment: PaymentRecord,
  { at, charge, data }: { at: number; charge: boolean; data: ExplainedData },
): Promise<AfterOutcome> {
  if (payment.open_attempts > 0) {
    // What the service did not take has repeated nothing: it uses up none of the repetitions of a doubt.
    await doubt(unit, context, row, { ...payment, resends: payment.resends - 1 }, data);
    return {};
  }
  await updateAttempts(unit.tx, payment);
  const attempts = charge ? row.attempts : row.attempts - 1;
  const ready = await unit.changeRow(row, 'unsent', { attempts, next_action_at: at }, data);
  if (!ready) return {};
  // Put back at once, so that the picker's count of rows to send is complete at any time.
  context.picker.putBack(ready, at);
  return { readyAt: at };
}

async function doubt(
  unit: Unit,
  context: Parts<'gateway'>,
  row: RowRecord,
  payment: PaymentRecord,
  data: ExplainedData,
): Promise<void> {
  await updateAttempts(unit.tx, payment);
  // If every attempt has a definitive answer, no request can be running, so the lookup need not wait.
  const wait = payment.open_attempts > 0 ? (context.gateway.policy.lookupDelaysMs[0] ?? 0) : 0;
  await unit.changeRow(
    row,
    'doubt',
    {
      next_action_at: unit.at + wait,
      failure_code: lastEvidence(payment)?.code ?? null,
      failure_reason: doubtReason,
    },
    data,
  );
}
