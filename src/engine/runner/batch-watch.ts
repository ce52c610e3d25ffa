import { moneyText, sameAmount } from '../../core/money/money.ts';
import type { BatchPolicy } from '../../core/state/batch-policy.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';

/**
 * Watches a batch while it is sent: for too many failures, and for rows that cost more or less than equal rows. It
 * starts from zero after every start of the program and after every pause, because the person who resumes has looked.
 */
export interface BatchWatch {
  /** Adds rows that became terminal, in order. Returns why the batch must stop, or null. */
  note(rows: readonly RowRecord[]): string | null;
}

export function makeBatchWatch({ stopLoss, costDeviationPercent }: BatchPolicy): BatchWatch {
  const ends: boolean[] = [];
  const usual = new Map<string, { cost: string; row: number }>();

  const tooManyFailures = (row: RowRecord): string | null => {
    if (stopLoss === null) return null;
    ends.push(row.status === 'failed');
    if (ends.length > stopLoss.rows) ends.shift();
    const failures = ends.filter(Boolean).length;
    if (ends.length < stopLoss.rows || failures * 100 <= stopLoss.failurePercent * ends.length) return null;
    return `${failures} of the last ${ends.length} rows failed, more than ${stopLoss.failurePercent}%`;
  };

  /** Rows with the same amount (or product), network and currency should cost the same. */
  const unusualCost = (row: RowRecord): string | null => {
    if (costDeviationPercent === null || row.status !== 'completed' || row.cost === null) return null;
    const kind = JSON.stringify([row.network_id, row.currency, row.amount, row.product_id, row.cost_currency]);
    const known = usual.get(kind);
    if (!known) {
      usual.set(kind, { cost: row.cost, row: row.row_no });
      return null;
    }
    if (sameAmount(row.cost, known.cost)) return null;
    const share = Number(row.cost) / Number(known.cost) - 1;
    // A share of an amount, used only to decide whether to stop. It changes no payment.
    if (Math.abs(share) * 100 <= costDeviationPercent) return null;
    const [costs, usually] = [row.cost, known.cost].map((value) => moneyText(row.cost_currency ?? '', value));
    return `row ${row.row_no} cost ${costs}, and row ${known.row} of the same cost ${usually}`;
  };

  return {
    note(rows) {
      let why: string | null = null;
      for (const row of rows) why = tooManyFailures(row) ?? unusualCost(row) ?? why;
      return why;
    },
  };
}

/** Why the remaining rows must not follow the first ones; null if they may. */
export function canaryVerdict({ canary }: BatchPolicy, ended: { sent: number; failed: number }): string | null {
  if (canary === null || ended.failed <= canary.failuresMax) return null;
  return `${ended.failed} of the first ${ended.sent} rows failed; airbatch sends these alone first`;
}
