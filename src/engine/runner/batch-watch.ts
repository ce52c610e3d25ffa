import { moneyText, sameAmount } from '../../core/money/money.ts';
import type { BatchPolicy } from '../../core/state/batch-policy.ts';
import { pauseWhy, type Why } from '../../core/state/pause-texts.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';

/**
 * Watches a batch while it is sent: for too many failures, and for rows that cost more or less than equal rows. It
 * starts from zero after every start of the program and after every pause, because the person who resumes has looked.
 */
export interface BatchWatch {
  /** Adds rows that became terminal, in order. Returns why the batch must stop, or null. */
  note(rows: readonly RowRecord[]): Why | null;
}

export function makeBatchWatch({ stopLoss, costDeviationPercent }: BatchPolicy): BatchWatch {
  const ends: boolean[] = [];
  const usual = new Map<string, { cost: string; row: number }>();

  const tooManyFailures = (row: RowRecord): Why | null => {
    if (stopLoss === null) return null;
    ends.push(row.status === 'failed');
    if (ends.length > stopLoss.rows) ends.shift();
    const failed = ends.filter(Boolean).length;
    const { length: rows } = ends;
    const { failurePercent: percent } = stopLoss;
    if (rows < stopLoss.rows || failed * 100 <= percent * rows) return null;
    const text = `${failed} of the last ${rows} rows failed, more than ${percent}%`;
    return pauseWhy('PAUSE_FAILURES', { failed, rows, percent }, text);
  };

  /** Rows with the same amount (or product), network and currency should cost the same. */
  const unusualCost = (row: RowRecord): Why | null => {
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
    const { row_no, cost, cost_currency } = row;
    const currency = cost_currency ?? '';
    const [costs, usually] = [cost, known.cost].map((value) => moneyText(currency, value));
    const text = `row ${row_no} cost ${costs}, and row ${known.row} of the same cost ${usually}`;
    const values = { row: row_no, cost, other_row: known.row, other_cost: known.cost, currency };
    return pauseWhy('PAUSE_COST', values, text);
  };

  return {
    note(rows) {
      let why: Why | null = null;
      for (const row of rows) why = tooManyFailures(row) ?? unusualCost(row) ?? why;
      return why;
    },
  };
}

/** Why the remaining rows must not follow the first ones; null if they may. */
export function canaryVerdict({ canary }: BatchPolicy, ended: { sent: number; failed: number }): Why | null {
  if (canary === null || ended.failed <= canary.failuresMax) return null;
  const { sent: rows, failed } = ended;
  const text = `${failed} of the first ${rows} rows failed; airbatch sends these alone first`;
  return pauseWhy('PAUSE_FIRST_ROWS', { failed, rows }, text);
}
