import { addAmounts, compareAmounts, Sums, subtractAmounts } from '../../core/money/money.ts';
import { isoTime } from '../../core/time/clock.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import type { LateCost } from '../../ledger/reporting/late-charges.ts';
import { costsSentBefore } from '../../ledger/rows/costs.ts';
import { chargesBetween } from './charges-between.ts';
import { balanceAfter, balanceOf, type StoredBalance } from './stored.ts';
import type { BalanceExplanation, BalanceProof, WalletChange } from './summary-shape.ts';
import { weighUncertain } from './uncertain-charges.ts';
import { byWalletCurrency } from './unnamed-currencies.ts';

/** What this batch was charged, by currency, and what of it was refunded before the second reading. */
export async function proveBalance(
  view: Queryable,
  batch: BatchRecord,
  { charged, refunds }: { charged: Record<string, string>; refunds: Record<string, string> },
): Promise<BalanceProof> {
  const before = balanceOf(batch.balance_before);
  const after = balanceAfter(batch);
  const wallets = walletChanges(before, after);
  const { explanation, uncertain } =
    before && after
      ? await explain(view, batch, wallets, { charged, refunds, fromMs: before.readAt, toMs: after.readAt })
      : { explanation: [], uncertain: { charges: 0, first: [] } };
  return {
    before_read_at: before && isoTime(before.readAt),
    after_read_at: after && isoTime(after.readAt),
    wallets,
    explanation,
    explained: before && after ? explanation.every(({ unexplained }) => compareAmounts(unexplained, '0') === 0) : null,
    uncertain,
  };
}

function walletChanges(before: StoredBalance | null, after: StoredBalance | null): WalletChange[] {
  const known = new Map(
    [...(before?.wallets ?? []), ...(after?.wallets ?? [])].map((wallet) => [wallet.walletId, wallet]),
  );
  return [...known.values()].map(({ walletId, name, currency }) => {
    const [first, last] = [before, after].map(
      (balance) => balance?.wallets.find((wallet) => wallet.walletId === walletId)?.balance ?? null,
    );
    return {
      wallet_id: walletId,
      name,
      currency,
      before: first ?? null,
      after: last ?? null,
      difference: first && last ? subtractAmounts(first, last) : null,
    };
  });
}

async function explain(
  view: Queryable,
  batch: BatchRecord,
  wallets: readonly WalletChange[],
  known: { charged: Record<string, string>; refunds: Record<string, string>; fromMs: number; toMs: number },
): Promise<Pick<BalanceProof, 'explanation' | 'uncertain'>> {
  const { charged, refunds, ...times } = known;
  const span = { account: batch.account, batchId: batch.batch_id, ...times };
  const { late, others, undated } = await chargedMeanwhile(view, span);
  const all = addUp(wallets, { batch: charged, late, refunds, others });
  return weighUncertain(view, await withoutSentBefore(view, all, span), span, undated);
}

/**
 * Leaves out what rows were charged that had been sent before the first reading: a lost part of a ledger has paid them,
 * and the restored one has found them. Only where less left the wallets by at least as much: by a service whose clock
 * differs, other rows seem to be as early.
 */
async function withoutSentBefore(
  view: Queryable,
  explanation: readonly BalanceExplanation[],
  { batchId, fromMs }: { batchId: string; fromMs: number },
): Promise<readonly BalanceExplanation[]> {
  if (explanation.every(({ unexplained }) => compareAmounts(unexplained, '0') >= 0)) return explanation;
  const before = byWalletCurrency(explanation, await costsSentBefore(view, batchId, fromMs));
  return explanation.map((one) => {
    const cost = before[one.currency] ?? '0';
    const unexplained = addAmounts(one.unexplained, cost);
    const charged_by_this_batch = subtractAmounts(one.charged_by_this_batch, cost);
    return compareAmounts(unexplained, '0') > 0 ? one : { ...one, charged_by_this_batch, unexplained };
  });
}

function addUp(
  wallets: readonly WalletChange[],
  chargedBy: Record<'batch' | 'late' | 'refunds' | 'others', Record<string, string>>,
): BalanceExplanation[] {
  const charged = byWalletCurrency(wallets, chargedBy.batch);
  const late = byWalletCurrency(wallets, chargedBy.late);
  const refunds = byWalletCurrency(wallets, chargedBy.refunds);
  const ofOthers = byWalletCurrency(wallets, chargedBy.others);
  const differences = new Sums();
  // A wallet that exists in only one reading counts with its whole balance.
  for (const { currency, before, after } of wallets)
    differences.add(currency, subtractAmounts(before ?? '0', after ?? '0'));
  for (const currency of [charged, late, ofOthers].flatMap(Object.keys)) differences.add(currency, '0');
  return Object.entries(differences.toObject()).map(([currency, difference]) => {
    const own = charged[currency] ?? '0';
    const others = ofOthers[currency] ?? '0';
    const ownLate = late[currency] ?? '0';
    const back = refunds[currency] ?? '0';
    return {
      currency,
      difference,
      charged_by_this_batch: own,
      charged_late: ownLate,
      charged_by_other_batches: others,
      came_back: back,
      unexplained: subtractAmounts(addAmounts(difference, back), [own, ownLate, others].reduce(addAmounts)),
    };
  });
}

/**
 * What other batches of the account were charged between the two readings, less their refunds in that time, and the
 * late charges of this batch. The refunds may be more, since they may be of older charges.
 */
async function chargedMeanwhile(
  view: Queryable,
  span: { account: string; batchId: string; fromMs: number; toMs: number },
): Promise<Record<'late' | 'others', Record<string, string>> & { undated: LateCost[] }> {
  const [sums, ownLate] = [new Sums(), new Sums()];
  const { charges, undated } = await chargesBetween(view, span);
  for (const { batch_id, currency, amount } of charges)
    (batch_id === span.batchId ? ownLate : sums).add(currency, amount);
  return { late: ownLate.toObject(), others: sums.toObject(), undated };
}
