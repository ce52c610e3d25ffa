import pLimit from 'p-limit';
import type { Evidence, Gateway, LookupOutcome } from '../../gateway/contract/gateway.ts';
import { type Actor, inUnitOf } from '../../ledger/actor.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { saveDoubt } from '../../ledger/rows/doubts.ts';
import { findPayment } from '../../ledger/rows/payments.ts';
import { findRow, type RowRecord } from '../../ledger/rows/rows.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { requireService } from '../batches/moved-service.ts';
import { writePause } from '../batches/pausing.ts';
import { writeEscalation } from '../doubts/doubts.ts';
import { stepWhenFound } from '../doubts/in-doubt.ts';
import { type RequestDeps, requestWithRetryAfter } from '../pacing/request-with-retry-after.ts';
import { paymentNames } from '../payments/payment-request.ts';
import { evidenceData, settle } from '../payments/settle.ts';
import type { EngineSettings } from '../runner/settings.ts';
import { requireRowInState } from './release-or-skip.ts';

/** The service of a batch, and how it is asked. */
export interface LookupService extends Pick<RequestDeps, 'limiter' | 'onWait'> {
  /** Its name (core/identity/service-name.ts). */
  service: string;
  gateway: Gateway;
  settings: EngineSettings;
}

/** The result of a look-up that a person asked for. */
export interface LookupResult {
  row: RowRecord;
  /**
   * `adopted`: the service has the payment, and the row has left its doubt. `found`: the service has a failed payment
   * of an attempt that was refused. `halted`: the service has another payment, or several, so the account is paused.
   * `changed`: another program changed the row while the service was asked.
   */
  outcome: 'adopted' | 'found' | 'halted' | 'not_found' | 'unanswered' | 'changed';
  /** The service's answer. */
  evidence: Evidence;
}

/** Look-ups that run at once. The limiter decides when each starts. */
const requestsAtOnce = 8;

/**
 * Looks rows in doubt up at once, because a person asks for it. A payment that is found is adopted, as by the account's
 * runner. An answer that finds nothing goes into the audit chain and changes nothing else: only the schedule of
 * reliability.md decides when a key is sent again, and a person's look-ups do not count towards it. Fails with
 * `ROW_UNKNOWN`, `BATCH_STATE` or `SERVICE_CHANGED` before the service is asked.
 */
export async function lookUpNow(
  actor: Actor,
  service: LookupService,
  batchId: string,
  rowNos: readonly number[],
): Promise<LookupResult[]> {
  const batch = await requireBatch(actor.db, batchId);
  requireService(
    batch,
    service.service,
    'Set the address of the account back: only the service that may have the payment knows it.',
  );
  const rows: RowRecord[] = [];
  for (const rowNo of rowNos) rows.push(await requireRowInState(actor.db, { batchId, rowNo, status: 'in_doubt' }));
  const limit = pLimit(requestsAtOnce);
  return Promise.all(rows.map((row) => limit(() => lookUpRow(actor, service, { batch, row }))));
}

interface Doubt {
  batch: BatchRecord;
  row: RowRecord;
}

async function lookUpRow(actor: Actor, service: LookupService, doubt: Doubt): Promise<LookupResult> {
  const { batch, row } = doubt;
  const { reference } = paymentNames(batch, row, row.generation);
  const asking = { ...service, clock: actor.clock };
  const answer = await requestWithRetryAfter(asking, 'read', () => service.gateway.lookup(reference));
  return inUnitOf(actor, async (unit) => {
    const now = await findRow(unit.tx, row.batch_id, row.row_no);
    const isSame = now?.status === 'in_doubt' && now.generation === row.generation && now.attempts === row.attempts;
    const { evidence } = answer;
    if (!isSame) return { row: now ?? row, outcome: 'changed', evidence };
    const outcome = await writeAnswer(unit, service, { ...doubt, row: now }, answer);
    const lookUp = { looked_up_at: unit.at, looked_up_by: actor.person, look_up: outcome };
    await saveDoubt(unit.tx, row, lookUp);
    return { row: (await findRow(unit.tx, row.batch_id, row.row_no)) ?? now, outcome, evidence };
  });
}

/** Writes what the service answered, and what follows from a payment that it has. */
async function writeAnswer(
  unit: Unit,
  { service, gateway, settings }: LookupService,
  { batch, row }: Doubt,
  answer: LookupOutcome,
): Promise<LookupResult['outcome']> {
  const isAnswered = answer.kind === 'found' || answer.kind === 'not_found';
  const data = { look_up: isAnswered ? answer.kind : 'unanswered', ...evidenceData(answer.evidence) };
  const payment = await findPayment(unit.tx, paymentNames(batch, row, row.generation).key);
  const step =
    answer.kind === 'found' && payment !== null
      ? stepWhenFound(row, payment, answer.payments, gateway.policy, unit.at)
      : null;
  if (step?.do === 'adopt') {
    await unit.append(row.batch_id, 'row.adopt', data, row.row_no);
    const settled = await settle(unit, { settings, gateway }, row, step.payment);
    return settled === null ? 'changed' : 'adopted';
  }
  if (step?.do === 'halt') {
    const isWritten = await writeEscalation(unit, row, step.why, data);
    if (isWritten) await writePause(unit, { account: batch.account, service }, 'service_mismatch', step.why);
    return isWritten ? 'halted' : 'changed';
  }
  await unit.append(row.batch_id, 'row.look_up', data, row.row_no);
  return answer.kind === 'found' ? 'found' : answer.kind === 'not_found' ? 'not_found' : 'unanswered';
}
