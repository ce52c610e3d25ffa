import type { RowFields } from '../../ledger/rows/update-row.ts';

/**
 * What a row bears when its next generation begins: nothing of the payment that failed. Had it kept when that was
 * first sent, other runs would take a payment of today for one of then.
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
