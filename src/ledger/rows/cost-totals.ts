import { addAmounts, Sums, subtractAmounts } from '../../core/money/money.ts';
import type { Queryable } from '../drivers/database.ts';
import { type BatchCost, costsOfBatch } from './costs.ts';
import type { RowRecord } from './rows.ts';

/** Adds up in memory what a unit changes of the batches' costs. */
export interface CostTotals {
  /** Reads in advance what the batch was charged so far: a change will probably follow. */
  expect(batchId: string): void;
  replace(before: RowRecord, after: RowRecord): void;
  /** What the batches were charged with these changes. */
  changed(): Promise<BatchCost[]>;
}

interface Total {
  before: Promise<ReadonlyMap<string, string>>;
  delta: Sums;
}

export function makeCostTotals(tx: Queryable): CostTotals {
  const totals = new Map<string, Total>();

  const totalOf = (batchId: string): Total => {
    let total = totals.get(batchId);
    if (total === undefined) {
      total = { before: costsOfBatch(tx, batchId), delta: new Sums() };
      // `changed` handles the failure, if the unit comes that far.
      total.before.catch(() => undefined);
      totals.set(batchId, total);
    }
    return total;
  };

  return {
    expect: (batchId) => void totalOf(batchId),
    replace(before, after) {
      const { delta } = totalOf(before.batch_id);
      if (before.cost !== null && before.cost_currency !== null)
        delta.add(before.cost_currency, subtractAmounts('0', before.cost));
      if (after.cost !== null && after.cost_currency !== null) delta.add(after.cost_currency, after.cost);
    },
    async changed() {
      const costs: BatchCost[] = [];
      for (const [batch_id, { before, delta }] of totals) {
        const known = await before;
        for (const [currency, added] of Object.entries(delta.toObject()))
          if (added !== '0') costs.push({ batch_id, currency, cost: addAmounts(known.get(currency) ?? '0', added) });
      }
      return costs;
    },
  };
}
