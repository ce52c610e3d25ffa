import { addAmounts, compareAmounts } from '../../core/money/money.ts';
import { isoOrNull } from '../../core/time/clock.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { type LateCost, type UnpricedPayment, unpricedPayments } from '../../ledger/reporting/late-charges.ts';
import { findRow } from '../../ledger/rows/rows.ts';
import type { BalanceExplanation, BalanceProof, UncertainCharge } from './summary-shape.ts';
import { byWalletCurrency } from './unnamed-currencies.ts';

/** The most charges that a summary names. */
const namedMax = 20;

interface Span {
  account: string;
  batchId: string;
  fromMs: number;
  toMs: number;
}

/**
 * Explains the rest with charges of an unknown time (`undated`), where they are exactly the rest of their currency. If
 * there is a rest, returns these charges, and those of an unknown cost.
 */
export async function weighUncertain(
  view: Queryable,
  explanation: readonly BalanceExplanation[],
  span: Span,
  undated: readonly LateCost[],
): Promise<Pick<BalanceProof, 'explanation' | 'uncertain'>> {
  const nameOf = ({ cost_currency }: LateCost) =>
    Object.keys(byWalletCurrency(explanation, { [cost_currency]: '0' }))[0];
  const named = ({ batch_id, row_no: row, topup_id }: Pick<UnpricedPayment, 'batch_id' | 'row_no' | 'topup_id'>) => ({
    ...{ batch_id, row, topup_id, first_sent_at: null },
  });
  const found: UncertainCharge[] = [];
  const weighed: BalanceExplanation[] = [];
  for (const one of explanation) {
    const charges = undated.filter((charge) => one.unexplained !== '0' && nameOf(charge) === one.currency);
    const isOwn = ({ batch_id }: LateCost) => batch_id === span.batchId;
    const own = sumOf(charges.filter(isOwn));
    const others = sumOf(charges.filter((charge) => !isOwn(charge)));
    const counted = charges.length > 0 && compareAmounts(one.unexplained, sumOf(charges)) === 0;
    weighed.push(counted ? includeCharges(one, own, others) : one);
    for (const { cost: amount, cost_currency: currency, ...charge } of charges)
      found.push({ ...named(charge), amount, currency, counted });
  }
  if (weighed.some(({ unexplained }) => unexplained !== '0'))
    for (const charge of await unpricedPayments(view, span))
      found.push({ ...named(charge), amount: null, currency: null, counted: false });
  const first = found.slice(0, namedMax);
  for (const charge of first)
    charge.first_sent_at = isoOrNull((await findRow(view, charge.batch_id, charge.row))?.first_sent_at ?? null);
  return { explanation: weighed, uncertain: { charges: found.length, first } };
}

function includeCharges(one: BalanceExplanation, own: string, others: string): BalanceExplanation {
  return {
    ...one,
    charged_late: addAmounts(one.charged_late, own),
    charged_by_other_batches: addAmounts(one.charged_by_other_batches, others),
    unexplained: '0',
  };
}

function sumOf(charges: readonly LateCost[]): string {
  return charges.map(({ cost }) => cost).reduce(addAmounts, '0');
}
