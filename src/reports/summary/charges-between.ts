import { pagesOf } from '../../core/basics/pages.ts';
import { compareAmounts, Sums, subtractAmounts, sumsOf } from '../../core/money/money.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { type LateCost, lateCosts } from '../../ledger/reporting/late-charges.ts';
import {
  type ChargedSpan,
  otherBatches,
  pageCosts,
  refundsOfOtherBatches,
  retriedInOtherBatches,
} from '../../ledger/rows/costs.ts';
import { backOf, earlierBetween } from './refunds.ts';

export const chargeKinds = ['sent', 'sent_before', 'refund', 'late'] as const;

/** What the wallets of one currency paid for a batch in a time. */
export interface BatchCharge {
  batch_id: string;
  /**
   * `sent`: the costs of rows. `sent_before`: what earlier payments of retried rows were charged, less their refunds.
   * `refund`: refunds of rows. `late`: charges that are in no row's cost, less their refunds.
   */
  kind: (typeof chargeKinds)[number];
  currency: string;
  /** Negative if money came back. */
  amount: string;
  /** The payments that were charged or refunded; 0 if they are not counted. */
  payments: number;
}

/** Costs read at once: the records are small, so a page has well under a megabyte. */
const costsPerPage = 2_000;

/**
 * What the batches of an account, except this one, were charged in a time (epoch ms), less what was refunded in that
 * time, also of earlier charges; and the late charges of this batch. `undated`: late charges that may or may not have
 * been made in that time.
 */
export async function chargesBetween(
  view: Queryable,
  span: ChargedSpan,
): Promise<{ charges: BatchCharge[]; undated: LateCost[] }> {
  const charges: BatchCharge[] = [];
  const undated: LateCost[] = [];
  const note = (batch_id: string, kind: BatchCharge['kind'], sums: Record<string, string>, payments: number) => {
    for (const [currency, amount] of Object.entries(sums)) charges.push({ batch_id, kind, currency, amount, payments });
  };
  for (const other of await otherBatches(view, span)) await noteCosts(view, other, span, note);
  for (const other of await retriedInOtherBatches(view, span))
    note(other, 'sent_before', (await earlierBetween(view, other, span)).toObject(), 0);
  for (const { batch_id, cost, cost_currency, refund_amount } of await refundsOfOtherBatches(view, span))
    note(
      batch_id,
      'refund',
      sumsOf([{ currency: cost_currency, amount: subtractAmounts('0', backOf(cost, refund_amount)) }]),
      1,
    );
  for (const late of await lateCosts(view, span)) {
    if (late.isDated) note(late.batch_id, 'late', sumsOf([{ currency: late.cost_currency, amount: late.cost }]), 1);
    else undated.push(late);
  }
  return { charges, undated };
}

async function noteCosts(
  view: Queryable,
  batchId: string,
  span: { fromMs: number; toMs: number },
  note: (batchId: string, kind: BatchCharge['kind'], sums: Record<string, string>, payments: number) => void,
): Promise<void> {
  const byCurrency = new Map<string, { sums: Sums; payments: number }>();
  const read = (last: { row_no: number } | undefined, limit: number) =>
    pageCosts(view, batchId, span, last?.row_no ?? 0, limit);
  for await (const page of pagesOf(costsPerPage, read))
    for (const { cost, cost_currency } of page) {
      const known = byCurrency.get(cost_currency) ?? { sums: new Sums(), payments: 0 };
      known.sums.add(cost_currency, cost);
      if (compareAmounts(cost, '0') !== 0) known.payments += 1;
      byCurrency.set(cost_currency, known);
    }
  for (const { sums, payments } of byCurrency.values()) note(batchId, 'sent', sums.toObject(), payments);
}
