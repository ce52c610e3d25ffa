import type { RowFields } from '../../ledger/rows/update-row.ts';

/**
 * The fields of a row when its next generation begins: nothing of the failed payment stays. If its first sending time
 * stayed, other runs would take a payment of today for an old one.
 */
export function nextGeneration({ generation }: { generation: number }, nextActionAt: number | null): RowFields {
  return {
    generation: generation + 1,
    attempts: 0,
    next_action_at: nextActionAt,
    topup_id: null,
    service_status: null,
    provider_reference: null,
    cost: null,
    cost_currency: null,
    failure_code: null,
    failure_reason: null,
    first_sent_at: null,
    accepted_at: null,
    completed_at: null,
    contradicted: null,
    contradicted_at: null,
    contradicted_by: null,
  };
}
