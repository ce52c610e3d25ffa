import { assert, unreachable } from '../../core/basics/assert.ts';
import { type DoubtWhy, doubtReason, doubtWhy, interruptedCode } from '../../core/state/doubt-texts.ts';
import { generationsMax } from '../../core/state/earlier-payment.ts';
import type { LookupOutcome, ReadProblem } from '../../gateway/contract/gateway.ts';
import type { EventData } from '../../ledger/audit/events.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { saveDoubt } from '../../ledger/rows/doubts.ts';
import { sendingRows } from '../../ledger/rows/in-flight-rows.ts';
import { findPayment, type PaymentRecord, updateAttempts } from '../../ledger/rows/payments.ts';
import { findRow, type RowRecord } from '../../ledger/rows/rows.ts';
import { clearUnansweredLookup } from '../../ledger/rows/unanswered-lookups.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { writePause } from '../batches/pausing.ts';
import { unansweredMsMax, unansweredWaitMs } from '../pacing/read-trouble.ts';
import { firstIntentAt } from '../payments/key-age.ts';
import { nextGeneration } from '../payments/next-generation.ts';
import { paymentNames } from '../payments/payment-request.ts';
import { evidenceData, settle } from '../payments/settle.ts';
import type { Asks, Parts, Writes } from '../runner/context.ts';
import type { OpenBatch } from '../runner/open-batches.ts';
import { stepDueRows } from './due-rows.ts';
import { type DoubtStep, lastEvidence, stepWhenFound, stepWhenNotFound } from './in-doubt.ts';
import { noteSilence } from './lookup-retry.ts';

type DoubtsNeeds = Parts<Asks | Writes | 'keys' | 'account' | 'batches' | 'pauseAccount' | 'picker' | 'service'> &
  Parts<'settings' | 'stopping' | 'wakes'>;

/** The most rows that one transaction changes. */
const rowsPerPass = 100;

/**
 * Marks every row that a crash left `sending` as in doubt, and counts its request as ended now. Called at the start,
 * when nothing is being sent.
 */
export async function doubtInterrupted(
  context: Parts<'committer' | 'db' | 'gateway'>,
  { batch }: OpenBatch,
): Promise<number> {
  let count = 0;
  for (;;) {
    const rows = await sendingRows(context.db, batch.batch_id, rowsPerPass);
    if (rows.length === 0) return count;
    await context.committer.commit(async (unit) => {
      for (const row of rows) {
        const payment = await findPayment(unit.tx, paymentNames(batch, row, row.generation).key);
        assert(payment, 'an intent is durable together with its payment');
        const wait = context.gateway.policy.lookupDelaysMs[0] ?? 0;
        const fields = {
          next_action_at: payment.last_intent_at + wait,
          failure_code: interruptedCode,
          failure_reason: `The program ended while this was being sent. ${doubtReason}`,
        };
        await unit.changeRow(row, 'doubt', fields, { why: 'interrupted' });
        // From now on the row does not show that its request may just have been sent.
        unit.countSend();
      }
    });
    count += rows.length;
  }
}

/**
 * Takes one step for every doubt that is due. Returns when the next one is due (epoch ms); null if none is scheduled.
 */
export function stepDoubts(context: DoubtsNeeds): Promise<number | null> {
  return stepDueRows(context, 'in_doubt', (open, row) => stepDoubt(context, open, row));
}

async function stepDoubt(context: DoubtsNeeds, open: OpenBatch, row: RowRecord): Promise<void> {
  const { reference, key } = paymentNames(open.batch, row, row.generation);
  const outcome = await context.limiter.admit('read', () => context.gateway.lookup(reference));
  if (outcome.kind !== 'found' && outcome.kind !== 'not_found') {
    const wait = await context.readTrouble(outcome);
    const why = await context.committer.commit((unit) => writeUnanswered(unit, row, { wait, outcome }));
    if (why !== null) logEscalation(context, row, why.text, outcome.evidence.requestId);
    return;
  }
  let lastRequestId: string | null = null;
  const step = await context.committer.commit(async (unit) => {
    const payment = await findPayment(unit.tx, key);
    assert(payment, 'a row in doubt has its payment');
    lastRequestId = lastEvidence(payment)?.requestId ?? null;
    return carryOut(unit, context, { row, payment }, outcome);
  });
  if (step?.do === 'send_again' || step?.do === 'next_generation') context.wakes.dispatch.wake();
  if (step?.do === 'adopt') context.wakes.track.wake();
  if (step?.do === 'halt') await context.pauseAccount('service_mismatch', step.why);
  if (step?.do === 'escalate') logEscalation(context, row, step.why.text, lastRequestId);
}

/**
 * Schedules another lookup after one without an answer; the delay grows with the time without an answer. After a day
 * without an answer, the row is left to a person: then returns why, else null.
 */
async function writeUnanswered(
  unit: Unit,
  row: RowRecord,
  { wait, outcome }: { wait: number; outcome: ReadProblem },
): Promise<DoubtWhy | null> {
  // Only `unavailable` counts as no answer: a 429 is an answer of the service, and refused credentials pause the
  // account.
  const elapsed = outcome.kind === 'unavailable' ? unit.at - (await noteSilence(unit, row)) : 0;
  if (outcome.kind === 'unavailable' && elapsed >= unansweredMsMax) {
    await clearUnansweredLookup(unit.tx, row);
    const { code } = outcome.evidence;
    const why = doubtWhy('DOUBT_UNANSWERED', { code }, `no look-up was answered for a day (${code})`);
    return (await writeEscalation(unit, row, why, evidenceData(outcome.evidence))) ? why : null;
  }
  if (!(await isLeftToPerson(unit.tx, row)))
    await unit.noteRow(row, { next_action_at: unit.at + unansweredWaitMs(elapsed, wait) }, null, {});
  return null;
}

/** Writes the step that follows from a lookup. Null if another writer changed the row first. */
async function carryOut(
  unit: Unit,
  context: DoubtsNeeds,
  doubt: { row: RowRecord; payment: PaymentRecord },
  outcome: Exclude<LookupOutcome, ReadProblem>,
): Promise<DoubtStep | null> {
  const { row } = doubt;
  const { policy } = context.gateway;
  const first_intent_at = firstIntentAt(context, doubt.payment, unit.at);
  const aged = unit.at - first_intent_at >= policy.resendAgeMsMax;
  const payment = {
    ...doubt.payment,
    first_intent_at,
    lookups: doubt.payment.lookups + 1,
    aged_lookups: doubt.payment.aged_lookups + (aged ? 1 : 0),
  };
  await updateAttempts(unit.tx, payment);
  await clearUnansweredLookup(unit.tx, row);
  const found =
    outcome.kind === 'found'
      ? stepWhenFound(row, payment, outcome.payments, policy, unit.at)
      : stepWhenNotFound(payment, policy, unit.at);
  const isLast = found.do === 'next_generation' && row.generation >= generationsMax;
  const why = doubtWhy('DOUBT_REFUSED', {}, 'the maximum number of generations was refused');
  const step: DoubtStep = isLast ? { do: 'escalate', why } : found;
  // The row was left to a person while this lookup ran. A lookup that found nothing does not change that.
  if (step.do !== 'adopt' && step.do !== 'halt' && (await isLeftToPerson(unit.tx, row))) return null;
  const data = { step: step.do, look_up: outcome.kind, look_ups: payment.lookups, ...evidenceData(outcome.evidence) };
  return (await writeStep(unit, context, { row, payment }, step, data)) ? step : null;
}

async function writeStep(
  unit: Unit,
  context: DoubtsNeeds,
  { row, payment }: { row: RowRecord; payment: PaymentRecord },
  step: DoubtStep,
  data: EventData,
): Promise<boolean> {
  const { policy } = context.gateway;
  switch (step.do) {
    case 'adopt': {
      await unit.append(row.batch_id, 'row.adopt', data, row.row_no);
      return (await settle(unit, context, row, step.payment)) !== null;
    }
    case 'wait':
      return (await unit.noteRow(row, { next_action_at: step.until }, 'row.look_up', data)) !== null;
    case 'send_again': {
      // If the row does not get its turn (a paused batch, a long queue), it is looked up again first. The longer it has
      // waited, the rarer these lookups are.
      const patience = (unit.at - payment.last_intent_at) / 2;
      const next_action_at = unit.at + Math.round(Math.max(policy.lookupDelaysMs[0] ?? 0, patience));
      const noted = await unit.noteRow(row, { next_action_at }, 'row.look_up', data);
      if (noted) context.picker.putBack(noted, unit.at);
      return noted !== null;
    }
    case 'next_generation': {
      const code = lastEvidence(payment)?.code ?? null;
      const failed = await unit.changeRow(row, 'fail', { failure_code: code, completed_at: unit.at }, data);
      if (!failed) return false;
      const ready = await unit.changeRow(failed, 'retry', nextGeneration(row, step.from), { by: 'engine' });
      if (ready) context.picker.putBack(ready, step.from);
      return ready !== null;
    }
    case 'halt': {
      const written = await writeEscalation(unit, row, step.why, data);
      if (written) await writePause(unit, context, 'service_mismatch', step.why);
      return written;
    }
    case 'escalate':
      return writeEscalation(unit, row, step.why, data);
    default:
      return unreachable(step);
  }
}

/** Whether a row in doubt was left to a person since it was read: neither its state nor its attempts show that. */
export async function isLeftToPerson(db: Queryable, { batch_id, row_no }: RowRecord): Promise<boolean> {
  return (await findRow(db, batch_id, row_no))?.next_action_at === null;
}

/** Leaves the row to a person: no lookup of it is scheduled any more. */
export async function writeEscalation(
  unit: Unit,
  row: RowRecord,
  { text: why, reason }: DoubtWhy,
  data: EventData,
): Promise<boolean> {
  const fields = { next_action_at: null, failure_reason: `A person must decide: ${why}.` };
  const why_reason = JSON.stringify(reason);
  if ((await unit.noteRow(row, fields, 'row.escalate', { ...data, why, why_reason })) === null) return false;
  await saveDoubt(unit.tx, row, { reason: why_reason });
  return true;
}

/**
 * Logs that a person must decide. Call it once that is durable. `requestId`: of the service's answer that the decision
 * is about, if it is known.
 */
export function logEscalation(
  { log }: Parts<'log'>,
  { batch_id, row_no }: RowRecord,
  why: string,
  requestId: string | null = null,
): void {
  log.warn('a person must find out whether a row was paid: the service cannot say', {
    batch_id,
    row: row_no,
    why,
    request_id: requestId,
  });
}
