import { compareAmounts, moneyText, multiplyAmount, subtractAmounts } from '../../core/money/money.ts';
import { storedPolicy } from '../../core/state/batch-policy.ts';
import { pauseWhy, type Why } from '../../core/state/pause-texts.ts';
import type { BatchFields, BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { costsOfBatch, costsOfProducts } from '../../ledger/rows/costs.ts';
import type { ApprovedPlan } from './approval.ts';
import { requestedOnceReleased } from './preflight.ts';

type Sums = Readonly<Record<string, string>>;

/**
 * Why a batch has spent more than was approved, or null. Rows that a person released after the approval count as
 * approved. The cost of products does not count, because an approval has no sum for them. A wallet in another currency
 * than the rows is not compared, because only the service knows the exchange rate.
 */
export async function overspent(db: Queryable, batch: BatchRecord): Promise<Why | null> {
  const { spendingPercentMax } = storedPolicy(batch.policy);
  const plan = planOf(batch);
  if (spendingPercentMax === null || plan === null) return null;
  const costs = Object.fromEntries(await costsOfBatch(db, batch.batch_id));
  // The walk over all rows is made only if it can decide.
  if (overCurrencies(costs, plan, plan.sums, spendingPercentMax).length === 0) return null;
  const { sums } = await requestedOnceReleased(db, batch.batch_id, []);
  const products = await costsOfProducts(db, batch.batch_id);
  const allowed = greatest(plan.sums, sums);
  const counted = less(costs, products);
  const [currency] = overCurrencies(counted, plan, allowed, spendingPercentMax);
  if (currency === undefined) return null;
  const hasProducts = products[currency] !== undefined;
  const [spent, approved] = [counted[currency] ?? '0', allowed[currency] ?? '0'];
  const text = `${moneyText(currency, spent)} were spent${hasProducts ? ', products not counted' : ''}, and ${moneyText(currency, approved)} were approved`;
  return pauseWhy('PAUSE_SPENT', { spent, approved, currency, why: hasProducts ? 'products' : '' }, text);
}

/**
 * The changed fields of a batch that a guard paused for its spending and that a person resumes. The person has seen the
 * spending, so the batch may spend as much again before it stops once more. Without this, it would stop at once.
 */
export async function lookedAtSpending(db: Queryable, batch: BatchRecord): Promise<Pick<BatchFields, 'approved_plan'>> {
  const plan = planOf(batch);
  if (plan === null || (await overspent(db, batch)) === null) return {};
  // As in `overspent`, the cost of products does not count.
  const looked = less(
    Object.fromEntries(await costsOfBatch(db, batch.batch_id)),
    await costsOfProducts(db, batch.batch_id),
  );
  return { approved_plan: JSON.stringify({ ...plan, looked } satisfies ApprovedPlan) };
}

function planOf({ approved_plan: plan }: BatchRecord): ApprovedPlan | null {
  return plan === null ? null : (JSON.parse(plan) as ApprovedPlan);
}

/** The currencies of the approval in which the batch has spent more than allowed since a person last looked. */
function overCurrencies(spent: Sums, { sums, looked = {} }: ApprovedPlan, allowed: Sums, percent: number): string[] {
  return Object.keys(sums).filter((currency) => {
    const since = subtractAmounts(spent[currency] ?? '0', looked[currency] ?? '0');
    return compareAmounts(multiplyAmount(since, 100), multiplyAmount(allowed[currency] ?? '0', percent)) > 0;
  });
}

function less(sums: Sums, others: Sums): Sums {
  return Object.fromEntries(
    Object.entries(sums).map(([currency, sum]) => [currency, subtractAmounts(sum, others[currency] ?? '0')]),
  );
}

function greatest(some: Sums, others: Sums): Sums {
  const both = { ...others };
  for (const [currency, sum] of Object.entries(some))
    if (compareAmounts(sum, both[currency] ?? '0') > 0) both[currency] = sum;
  return both;
}
