import { withoutNumbers } from '../../core/text/redact.ts';
import type { Evidence, ServicePayment } from '../../gateway/contract/gateway.ts';
import type { EventData } from '../../ledger/audit/events.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import type { Parts } from '../runner/context.ts';
import { noteEarlierArrived } from './late-differences.ts';

/** The service's report on a payment, as fields of its row. */
function serviceFields(payment: ServicePayment, row: RowRecord) {
  return {
    topup_id: payment.topupId,
    service_status: payment.serviceStatus,
    provider_reference: payment.providerReference ?? row.provider_reference,
    cost: payment.cost?.value ?? row.cost,
    cost_currency: payment.cost?.currency ?? row.cost_currency,
  };
}

/** The part of an answer that the audit log keeps. */
export function evidenceData(evidence: Evidence): Omit<EventData, 'why'> {
  const { httpStatus, code, message, requestId } = evidence;
  return { http_status: httpStatus, code, message: withoutNumbers(message), request_id: requestId };
}

/** Whether a failed payment must be read in full before its row ends: a list never confirms a failure. */
function needsRead(payment: ServicePayment): boolean {
  return !payment.full && payment.state === 'failed';
}

/**
 * Writes the service's report on a row's payment: the row ends, or is followed further. `evidence`: further data for
 * the audit log. Returns the row as it is now; null if another writer changed it first.
 */
export async function settle(
  unit: Unit,
  { settings, gateway }: Parts<'settings' | 'gateway'>,
  row: RowRecord,
  payment: ServicePayment,
  evidence: EventData = {},
): Promise<RowRecord | null> {
  const fields = serviceFields(payment, row);
  const data: EventData = { ...evidence, topup_id: payment.topupId, service_status: payment.serviceStatus };
  if (payment.state !== 'open' && !needsRead(payment)) {
    const isCompleted = payment.state === 'completed';
    const failure_code = isCompleted ? null : payment.failureCode;
    const failure_reason = isCompleted ? null : payment.failureReason;
    const ended = await unit.changeRow(
      row,
      isCompleted ? 'complete' : 'fail',
      {
        ...fields,
        next_action_at: null,
        completed_at: payment.completedAt ?? unit.at,
        failure_code,
        failure_reason,
      },
      isCompleted ? data : { ...data, failure_code, failure_reason: failure_reason && withoutNumbers(failure_reason) },
    );
    if (ended !== null) await noteEarlierArrived(unit, ended);
    return ended;
  }
  // A payment that has ended but must be read in full is due at once. If there is a list, it shows most of the ends.
  const firstRead = gateway.list !== null ? settings.listFollowMs : settings.readDelayMsMin;
  const next_action_at = payment.state === 'open' ? unit.at + firstRead : unit.at;
  if (row.status === 'accepted') {
    if (row.service_status === payment.serviceStatus && payment.state === 'open') return row;
    return unit.noteRow(row, payment.state === 'open' ? fields : { ...fields, next_action_at }, null, {});
  }
  return unit.changeRow(
    row,
    'accept',
    { ...fields, next_action_at, accepted_at: payment.createdAt ?? unit.at, failure_code: null, failure_reason: null },
    data,
  );
}
