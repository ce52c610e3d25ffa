import { assert, unreachable } from '../../core/basics/assert.ts';
import { withJitter } from '../../core/basics/random.ts';
import { doubtReason } from '../../core/state/doubt-texts.ts';
import { generationsMax } from '../../core/state/earlier-payment.ts';
import type { CreateOutcome, Evidence } from '../../gateway/contract/gateway.ts';
import type { EventData } from '../../ledger/audit/events.ts';
import { type PaymentRecord, updateAttempts } from '../../ledger/rows/payments.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { writePause } from '../batches/pausing.ts';
import { type LastEvidence, lastEvidence } from '../doubts/in-doubt.ts';
import { mismatch } from '../payments/payment-request.ts';
import { evidenceData, settle } from '../payments/settle.ts';
import type { Keys, Parts } from '../runner/context.ts';
import { forgottenAt } from './forgotten-keys.ts';

export type OutcomesNeeds = Parts<Keys | 'account' | 'gateway' | 'picker' | 'random' | 'service' | 'settings'>;

/** What dispatch does after an outcome is durable. */
export interface AfterOutcome {
  /** The row is ready again, and was put back to be sent from this time on (epoch ms). */
  readyAt?: number;
  /** The account must not go on. Its batches are paused already. */
  pause?: { reason: 'insufficient_balance' | 'credentials_rejected' | 'service_mismatch'; detail: string };
}

/** A row whose request was answered, or came to something else: as its intent left it. */
export interface Sent {
  row: RowRecord;
  payment: PaymentRecord;
  /** Even a completed row is read in full before it ends. */
  withDetails: boolean;
}

type Accepted = Extract<CreateOutcome, { kind: 'accepted' }>;

/**
 * Writes what a request to create came to, and says what follows from it. The row was left `sending` by its intent.
 * Where the account must not go on, that is written with it: a program that died in between would leave batches that
 * send on.
 */
export async function writeOutcome(
  unit: Unit,
  context: OutcomesNeeds,
  sent: Sent,
  outcome: CreateOutcome,
): Promise<AfterOutcome> {
  const after =
    outcome.kind === 'accepted'
      ? await writeAccepted(unit, context, sent, outcome)
      : await writeTrouble(unit, context, sent, outcome);
  if (after.pause) await writePause(unit, context, after.pause.reason, after.pause.detail);
  return after;
}

/**
 * Nearly every answer: what it brought besides the payment itself is looked at only where the payment is not the row's
 * own.
 */
async function writeAccepted(
  unit: Unit,
  context: Parts<'gateway' | 'settings'>,
  { row, payment, withDetails }: Sent,
  outcome: Accepted,
): Promise<AfterOutcome> {
  const difference = mismatch(row, payment.reference, outcome.payment);
  if (difference) {
    const why = `the answer names ${difference}`;
    await doubt(unit, context, row, noteEvidence(payment, outcome), { ...outcomeData(outcome), why });
    const detail = `the service answered row ${row.row_no} of batch ${row.batch_id} with ${difference}`;
    return { pause: { reason: 'service_mismatch', detail } };
  }
  await settle(unit, context, row, outcome.payment, { withDetails });
  return {};
}

async function writeTrouble(
  unit: Unit,
  context: OutcomesNeeds,
  sent: Sent,
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
      if (at !== null) return giveBack(unit, context, row, closed(payment), { at, charge: false, data });
      // Both may speak of an earlier attempt of ours as well as of this one: the look-up tells them apart.
      await doubt(unit, context, row, closed(payment), { ...data, why: outcome.kind });
      return {};
    }
    case 'throttled': {
      const why = keptAnswer(unit, context, sent.payment, payment);
      if (why === null) return giveBack(unit, context, row, closed(payment), { at: unit.at, charge: false, data });
      await doubt(unit, context, row, closed(payment), { ...data, why });
      return {};
    }
    case 'account_blocked': {
      const pause = { reason: outcome.reason, detail: `${outcome.evidence.code}: ${outcome.evidence.message}` };
      const isKept = mayBeKeptRefusal(row, sent.payment, payment);
      if (isKept && row.generation < generationsMax) {
        await doubt(unit, context, row, closed(payment), { ...data, why: 'the same refusal again' });
        return { pause };
      }
      // The last generation is not given up for want of money: its row waits until the service gives another answer to
      // its key.
      const at = (isKept && forgottenAt(context, closed(payment), unit.at)) || unit.at;
      return { ...(await giveBack(unit, context, row, closed(payment), { at, charge: false, data })), pause };
    }
    case 'not_sent': {
      const at =
        unit.at +
        withJitter(Math.min(1_000 * 2 ** row.attempts, context.settings.unreachableWaitMsMax), context.random);
      return giveBack(unit, context, row, closed(payment), { at, charge: true, data });
    }
    case 'in_doubt':
      await doubt(unit, context, row, payment, data);
      return {};
    default:
      return unreachable(outcome);
  }
}

/**
 * How long one key may meet nothing but a 429: those who share the account leave it some of its limit within a few
 * windows of a minute.
 */
const throttledMsMax = 60 * 60_000;

/**
 * Why a 429 may be the answer that the service once gave to this key, and gives again (spec section 4.1, rule 4, does
 * not except it): to ask once more would be in vain for a day, with the whole account waiting each time. Null where it
 * speaks of the limit, as it should.
 */
function keptAnswer(
  unit: Unit,
  { gateway }: Parts<'gateway'>,
  before: PaymentRecord,
  payment: PaymentRecord,
): string | null {
  const [last, now] = [lastEvidence(before), lastEvidence(payment)];
  if (last?.kind === 'throttled' && last.requestId && last.requestId === now?.requestId)
    return 'the very same answer again';
  const isLong = unit.at - payment.first_intent_at >= throttledMsMax;
  return isLong && payment.same_errors >= gateway.policy.sameErrorsMax ? 'told to wait for an hour' : null;
}

/**
 * Whether the service may be repeating the refusal that it once gave to this key; whether it is so, a look-up shows.
 * Another request id shows that it has answered anew: whoever resumes again and again while there is no money is
 * refused each time, and that is to burn no row. Where it names no requests nobody knows, so the last generation is
 * not given up for it.
 */
function mayBeKeptRefusal({ generation }: RowRecord, before: PaymentRecord, payment: PaymentRecord): boolean {
  if (payment.same_errors < 2) return false;
  const ids = [before, payment].map((one) => lastEvidence(one)?.requestId ?? null);
  if (ids.includes(null)) return generation < generationsMax;
  return ids[0] === ids[1];
}

/**
 * Version 1 may use a reference up by refusing its request. Right after a refusal for want of money or credentials, the
 * row's last generation is not given up for that: it waits until the service has surely forgotten the reference (epoch
 * ms). Null: the look-ups decide, as they do if the service says so of the forgotten reference as well.
 */
function usedUpUntil(
  context: Parts<'gateway' | 'keyScopeFrom' | 'keysProvedFrom'>,
  { row, payment: before }: Sent,
  payment: PaymentRecord,
  now: number,
): number | null {
  if (row.generation < generationsMax || lastEvidence(before)?.kind !== 'account_blocked') return null;
  return forgottenAt(context, closed(payment), now);
}

function outcomeData({ kind, evidence }: CreateOutcome): EventData {
  return { outcome: kind, ...evidenceData(evidence) };
}

/** The attempt just made got a definitive no: it is not among those that may have been charged. */
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

/** A definitive no ends the row only when every attempt under its key got one (reliability.md, V2 step 3). */
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
  await unit.changeRow(row, 'fail', failure, evidenceData(evidence));
  return {};
}

async function giveBack(
  unit: Unit,
  context: Parts<'gateway' | 'picker'>,
  row: RowRecord,
  payment: PaymentRecord,
  { at, charge, data }: { at: number; charge: boolean; data: EventData },
): Promise<AfterOutcome> {
  if (payment.open_attempts > 0) {
    await doubt(unit, context, row, payment, data);
    return {};
  }
  await updateAttempts(unit.tx, payment);
  const attempts = charge ? row.attempts : row.attempts - 1;
  const ready = await unit.changeRow(row, 'unsent', { attempts, next_action_at: at }, data);
  if (!ready) return {};
  // At once: whoever counts the rows that are about to be sent is to miss none.
  context.picker.putBack(ready, at);
  return { readyAt: at };
}

async function doubt(
  unit: Unit,
  context: Parts<'gateway'>,
  row: RowRecord,
  payment: PaymentRecord,
  data: EventData,
): Promise<void> {
  await updateAttempts(unit.tx, payment);
  // With every attempt definitively answered nothing can be under way, so the look-up need not wait.
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
