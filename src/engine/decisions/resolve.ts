import { assert } from '../../core/basics/assert.ts';
import { AirbatchError } from '../../core/basics/errors.ts';
import { refusal } from '../../core/basics/refusal.ts';
import { paymentMayHaveArrived } from '../../core/state/earlier-payment.ts';
import { resolvedCodes } from '../../core/state/overdue.ts';
import { withoutNumbers } from '../../core/text/redact.ts';
import { isoTime } from '../../core/time/clock.ts';
import type { Gateway, LookupOutcome, ReadProblem, ServicePayment } from '../../gateway/contract/gateway.ts';
import { highestClockOf } from '../../ledger/accounts/highest-clock.ts';
import { type Actor, inUnitOf } from '../../ledger/actor.ts';
import type { EventData } from '../../ledger/audit/events.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import type { RowFields } from '../../ledger/rows/update-row.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { requireService } from '../batches/moved-service.ts';
import { unansweredMsMax } from '../pacing/read-trouble.ts';
import { type RequestDeps, requestWithRetryAfter } from '../pacing/request-with-retry-after.ts';
import { noteEarlierArrived, noteSecond } from '../payments/late-differences.ts';
import { referenceOf } from '../payments/payment-request.ts';
import { lastSentAt } from '../tracking/overdue.ts';
import { requireRowInState } from './release-or-skip.ts';

/** A person's statement about a payment, with the evidence. */
export interface Resolution {
  as: 'paid' | 'not-paid';
  evidence: string;
}

/**
 * Ends a doubt that only a person can decide, on evidence that the person gives. The row is then completed or failed
 * for good. Its cost stays as the service last reported it.
 */
export async function resolveDoubt(
  actor: Actor,
  batchId: string,
  rowNo: number,
  resolution: Resolution,
): Promise<RowRecord> {
  await requireBatch(actor.db, batchId);
  return inUnitOf(actor, async (unit) => {
    const row = await requireRowInState(unit.tx, { batchId, rowNo, status: 'in_doubt' });
    if (row.next_action_at !== null) {
      throw new AirbatchError('BATCH_STATE', `row ${rowNo} of batch ${batchId} is still to be looked up`, {
        reason: refusal('ROW_LOOKED_UP', { row: rowNo }),
        hint: 'First let "airbatch resume" finish the lookups: a person decides only if they find no answer.',
      });
    }
    return writeResolution(unit, actor, row, resolution, { fields: {}, data: {} });
  });
}

/** The service of a batch. It is asked once more before a person's decision counts. */
export interface ResolvingService extends Pick<RequestDeps, 'limiter' | 'onWait'> {
  /** Its name (core/identity/service-name.ts). */
  service: string;
  gateway: Gateway;
}

/**
 * Ends a row that the service accepted and has not ended within its promised time (`settleAlertMs`), on evidence that a
 * person gives. The service is asked right before: if it reports an end, that end counts; if it does not answer, a day
 * must have passed. Fails with `BATCH_STATE`, `SERVICE_UNREACHABLE`, or with `SERVICE_CHANGED` if the account now
 * points at another service.
 */
export async function resolveOverdue(
  actor: Actor,
  { service, gateway, ...asking }: ResolvingService,
  batchId: string,
  rowNo: number,
  resolution: Resolution,
): Promise<RowRecord> {
  const batch = await requireBatch(actor.db, batchId);
  const accepted = await requireRowInState(actor.db, { batchId, rowNo, status: 'accepted' });
  requireService(
    batch,
    service,
    'Set the address of the account back: only the service that has the payment can be asked for it.',
  );
  const sentAt = await lastSentAt(actor.db, batch, accepted);
  // Uses the highest time that a runner of the account has seen, so that a clock that was set back does not make an old
  // payment look young.
  const now = Math.max(actor.clock.now(), await highestClockOf(actor.db, batch.account));
  const place = `row ${rowNo} of batch ${batchId}`;
  const { settleAlertMs } = gateway.policy;
  if (now - sentAt < settleAlertMs) throw tooEarly(batchId, rowNo, sentAt, sentAt + settleAlertMs);
  const said = await lookUpOnce(gateway, { ...asking, clock: actor.clock }, batch, accepted);
  if (said.problem !== null && now - sentAt < unansweredMsMax) {
    const { code, message } = said.problem.evidence;
    throw new AirbatchError(
      'SERVICE_UNREACHABLE',
      `the service does not say where ${place} stands: ${code}, ${message}`,
      {
        reason: refusal('ROW_UNANSWERED', { row: rowNo, from_at: isoTime(sentAt + unansweredMsMax) }),
        hint: `Try again once it answers; from ${timeOf(sentAt + unansweredMsMax)} on the row may be resolved without its answer.`,
      },
    );
  }
  const outcome = await inUnitOf(actor, async (unit) => {
    const row = await requireRowInState(unit.tx, { batchId, rowNo, status: 'accepted' });
    if (isNewsOf(row, accepted, unit.at)) throw changedMeanwhile(row);
    const against = contradictingPayment(said, resolution);
    if (against !== null) {
      // The account's runner looks the row up soon.
      await unit.noteRow(row, { next_action_at: unit.at }, null, {});
      return against;
    }
    for (const other of said.others) await noteSecond(unit, row, other);
    const last = said.own ?? said.listed;
    const fields = { service_status: last?.serviceStatus ?? row.service_status };
    const look_up = last?.state ?? (said.problem === null ? 'not_found' : 'unanswered');
    return writeResolution(unit, actor, row, resolution, { fields, data: { look_up } });
  });
  if ('row_no' in outcome) return outcome;
  const isOwn = outcome.topupId === accepted.topup_id;
  throw new AirbatchError(
    'BATCH_STATE',
    `the service now says ${outcome.serviceStatus} of ${isOwn ? place : `another payment of ${place} (${outcome.topupId})`}`,
    {
      reason: refusal('ROW_ANSWERED', {
        ...{ row: rowNo, why: isOwn ? 'own' : 'other' },
        ...{ service_status: outcome.serviceStatus, topup_id: outcome.topupId },
      }),
      hint: isOwn
        ? `"airbatch resume ${batchId}" looks it up again, and writes its end.`
        : 'That payment may have paid it: ask the service, with the id.',
    },
  );
}

function tooEarly(batchId: string, row: number, sentAt: number, from: number): AirbatchError {
  return new AirbatchError(
    'BATCH_STATE',
    `row ${row} of batch ${batchId} was accepted at ${timeOf(sentAt)}: you can resolve it from ${timeOf(from)} on`,
    {
      reason: refusal('ROW_TOO_EARLY', { row, sent_at: isoTime(sentAt), from_at: isoTime(from) }),
      hint: `Until then the service may still report the result: "airbatch resume ${batchId}" follows it.`,
    },
  );
}

/** A time (epoch ms) for people, rounded up to the second. */
function timeOf(at: number): string {
  return `${isoTime(Math.ceil(at / 1_000) * 1_000)
    .slice(0, 19)
    .replace('T', ' ')} UTC`;
}

/**
 * Whether the row changed since it was read here: it has another payment, a new status from the service, or is due for
 * a lookup now.
 */
function isNewsOf(row: RowRecord, before: RowRecord, now: number): boolean {
  const isLookupDue = row.next_action_at !== before.next_action_at && (row.next_action_at ?? now) <= now;
  return isLookupDue || row.generation !== before.generation || row.service_status !== before.service_status;
}

/** The service's answers about an accepted row; null if it does not have the payment. */
interface ServiceAnswers {
  /** The payment with the row's id. */
  own: ServicePayment | null;
  /** The row's payment as listed under its reference. */
  listed: ServicePayment | null;
  /** Other payments under the reference. */
  others: readonly ServicePayment[];
  /** Set if one of the two requests was not answered. */
  problem: ReadProblem | null;
}

async function lookUpOnce(
  gateway: Gateway,
  asking: RequestDeps,
  batch: BatchRecord,
  row: RowRecord,
): Promise<ServiceAnswers> {
  const { topup_id: topupId } = row;
  assert(topupId !== null, 'what was accepted has an id of the service');
  const reference = referenceOf(batch, row, row.generation);
  const read = await requestWithRetryAfter(asking, 'read', () => gateway.read({ topupId, reference }));
  const lookup = await requestWithRetryAfter(asking, 'read', () => gateway.lookup(reference));
  const isOwn = (payment: ServicePayment) => payment.topupId === topupId;
  const found = paymentsOf(lookup);
  const problem = [read, lookup].find((outcome) => outcome.kind !== 'found' && outcome.kind !== 'not_found');
  return {
    own: paymentsOf(read).find(isOwn) ?? null,
    listed: found.find(isOwn) ?? null,
    others: found.filter((payment) => !isOwn(payment)),
    problem: problem ?? null,
  };
}

function paymentsOf(outcome: LookupOutcome): readonly ServicePayment[] {
  return outcome.kind === 'found' ? outcome.payments : [];
}

/** A payment at the service that contradicts the person's statement, or null. */
function contradictingPayment({ own, listed, others }: ServiceAnswers, { as }: Resolution): ServicePayment | null {
  // If the service reports an end, the row ends with that, without the person's statement.
  if (own !== null && own.state !== 'open') return own;
  // A listing under the reference alone never ends the row. But if it shows the opposite end, it contradicts the
  // person.
  const contrary = as === 'paid' ? 'failed' : 'completed';
  if (listed?.state === contrary) return listed;
  if (as === 'paid') return null;
  return others.find(paymentMayHaveArrived) ?? null;
}

async function writeResolution(
  unit: Unit,
  { person }: Actor,
  row: RowRecord,
  { as, evidence }: Resolution,
  more: { fields: RowFields; data: EventData },
): Promise<RowRecord> {
  // These fields show readers of the results that the end comes from a person and not from the service.
  const failure_code = resolvedCodes[as];
  const failure_reason = `${person}: ${evidence}`;
  const ended = { ...more.fields, next_action_at: null, completed_at: unit.at, failure_code, failure_reason };
  // The chain is kept for ever, so it contains no phone number. The row can be forgotten, so it keeps the whole text.
  const data = { ...more.data, as, evidence: withoutNumbers(evidence) };
  const resolved = await unit.changeRow(row, as === 'paid' ? 'complete' : 'fail', ended, data);
  if (!resolved) throw changedMeanwhile(row);
  await noteEarlierArrived(unit, resolved);
  return resolved;
}

function changedMeanwhile({ batch_id, row_no }: RowRecord): AirbatchError {
  return new AirbatchError('BATCH_STATE', `row ${row_no} of batch ${batch_id} changed meanwhile`, {
    reason: refusal('ROW_CHANGED', { row: row_no }),
    hint: 'Try again: it has changed meanwhile.',
  });
}
