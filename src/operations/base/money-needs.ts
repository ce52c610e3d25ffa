import { z } from 'zod';
import { isSameService } from '../../core/identity/service-name.ts';
import { addAmounts, compareAmounts, Sums, subtractAmounts, sumOf } from '../../core/money/money.ts';
import { type BatchState, sendingStates } from '../../core/state/batch-state.ts';
import { type Preflight, requestedNow } from '../../engine/plan/preflight.ts';
import type { Balance } from '../../gateway/contract/gateway.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { latestBatches } from '../../ledger/batches/latest-batches.ts';
import { expectedCost } from '../../reports/sentences/expected-cost.ts';
import type { OpenAccount } from '../../runtime/accounts/account.ts';
import type { Session } from '../../runtime/session/session.ts';
import { sums } from './fields.ts';

/** The money for a payout, in one currency of the wallets. */
export const walletMoney = z.strictObject({
  currency: z.string(),
  /** What the active wallets in this currency hold; 0 if there is none. */
  balance: z.string(),
  /** The expected cost of this payout. */
  cost: z.string(),
  /** The expected cost of what other batches have still to send, those that wait for a person included. */
  others: z.string(),
  /** What the wallets hold once all of these are paid; negative if it is not enough. */
  left: z.string(),
  /** What is missing to pay all of these; null if nothing is. */
  missing: z.string().nullable(),
});

/** What a batch will cost, and what the wallets hold before and after it. */
export const planMoney = z.strictObject({
  /** From the rates of recent payments; `unknown` lists the currencies without a rate. */
  expected_cost: z.strictObject({ cost: sums, unknown: z.array(z.string()) }),
  /** Empty if the balance could not be read. */
  wallets: z.array(walletMoney),
});

const waitingStates: readonly BatchState[] = ['paused', 'awaiting_approval'];

type ByCurrency = Readonly<Record<string, string>>;

/** What one batch still needs. */
export interface Need {
  batch: string;
  /** Whether its rows are being sent or are about to be; if not, it is paused or waits for approval. */
  isSent: boolean;
  /** By the currency of the wallets. */
  cost: ByCurrency;
  /** Sums to pay whose cost is unknown. */
  unknown: ByCurrency;
  products: number;
}

/**
 * What the active wallets hold, by currency. Version 1 does not name the currency of its balances, so nothing can be
 * compared with them.
 */
export function heldIn({ wallets }: Pick<Balance, 'wallets'>): ByCurrency {
  const held = new Sums();
  for (const { active, currency, balance } of wallets) if (active && currency !== '') held.add(currency, balance);
  return held.toObject();
}

/**
 * The currencies in which costs are compared with wallets, also those for which there is no active wallet. None if no
 * wallet names its currency.
 */
export function comparedCurrencies(held: ByCurrency, costs: readonly ByCurrency[]): string[] {
  const ofWallets = Object.keys(held);
  if (ofWallets.length === 0) return [];
  return [...new Set([...ofWallets, ...costs.flatMap((cost) => Object.keys(cost))])].toSorted();
}

/** What is missing to pay `needed` from `held`; null if nothing is. */
export function missingFrom(held: string, needed: string): string | null {
  const missing = subtractAmounts(needed, held);
  return compareAmounts(missing, '0') > 0 ? missing : null;
}

/** What each batch of the account still needs that is being sent, is paused, or waits for approval. */
export async function needsOf(
  { db }: Session,
  { name: account, service }: OpenAccount,
  held: ByCurrency,
): Promise<Need[]> {
  const states = [...sendingStates, ...waitingStates];
  // All of them: a sum that lacks some would promise that the money lasts.
  const limit = Number.MAX_SAFE_INTEGER;
  const batches = await latestBatches(db, { accounts: [account], states, before: null, limit });
  const needs: Need[] = [];
  for (const { batch_id, status, service: ofBatch } of batches.filter((one) => isSameService(one.service, service))) {
    const { sums: asked, products } = await requestedNow(db, batch_id);
    const expected = await expectedCost(db, { account, service: ofBatch }, asked);
    const [cost, unknown] = [new Sums(), new Sums()];
    cost.addAll(expected.cost);
    // Without a rate, the cost in a wallet of the same currency is at most the amount.
    for (const currency of expected.unknown) (currency in held ? cost : unknown).add(currency, asked[currency] ?? '0');
    const isSent = sendingStates.includes(status);
    needs.push({ batch: batch_id, isSent, cost: cost.toObject(), unknown: unknown.toObject(), products });
  }
  return needs;
}

/**
 * What the wallets hold after a payout of this expected cost, and after all other batches of the account. `batch`: the
 * payout, if it is a batch already; null `balance`: the wallets could not be read.
 */
export async function walletsAfter(
  session: Session,
  opened: OpenAccount,
  { balance, cost, batch }: { balance: Pick<Balance, 'wallets'> | null; cost: ByCurrency; batch: string | null },
): Promise<z.output<typeof walletMoney>[]> {
  if (balance === null) return [];
  const held = heldIn(balance);
  const needs = (await needsOf(session, opened, held)).filter((need) => need.batch !== batch);
  const ofOthers = sumOf(needs.map((need) => need.cost));
  return comparedCurrencies(held, [cost, ofOthers]).map((currency) => {
    const holds = held[currency] ?? '0';
    const own = cost[currency] ?? '0';
    const others = ofOthers[currency] ?? '0';
    const needed = addAmounts(own, others);
    const [left, missing] = [subtractAmounts(holds, needed), missingFrom(holds, needed)];
    return { currency, balance: holds, cost: own, others, left, missing };
  });
}

/** See `planMoney`. */
export async function moneyOfPlan(
  session: Session,
  opened: OpenAccount,
  batch: BatchRecord,
  plan: Pick<Preflight, 'sums' | 'productSums' | 'balance'>,
): Promise<z.output<typeof planMoney>> {
  const expected_cost = await expectedCost(session.db, batch, sumOf([plan.sums, plan.productSums]));
  const payout = { balance: plan.balance, cost: expected_cost.cost, batch: batch.batch_id };
  return { expected_cost, wallets: await walletsAfter(session, opened, payout) };
}
