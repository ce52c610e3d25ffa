import type { Balance } from '../../gateway/contract/gateway.ts';
import { balancesRead, costsOfOpenBatches } from '../../ledger/accounts/gauges.ts';
import type { StoredPace } from '../../ledger/accounts/pace.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { type CountedBatch, secondsSince } from './batch-metrics.ts';
import type { SetMetric } from './metrics.ts';

/** The most wallets of an account that are shown: the service names them, so their number needs a limit. */
const walletsMax = 20;

/** Sets the balances when they were last read, and how long they last. */
export async function setBalanceMetrics(
  set: SetMetric,
  db: Queryable,
  facts: {
    accounts: readonly { name: string }[];
    batches: readonly CountedBatch[];
    paceOf: (account: string) => StoredPace | null;
    now: number;
  },
): Promise<void> {
  const { accounts, batches, paceOf, now } = facts;
  const costs = Map.groupBy(await costsOfOpenBatches(db), ({ batch_id }) => batch_id);
  const ofAccount = Map.groupBy(batches, (batch) => batch.account);
  for (const { name: account } of accounts) {
    const balance = await lastBalance(db, account);
    if (balance === null) continue;
    set('balance_age_seconds', secondsSince(balance.readAt, now), { account });
    // A gauge is a binary number. That is exact enough for alerts, and no payment depends on it.
    for (const { name, currency, balance: held } of balance.wallets.slice(0, walletsMax))
      set('balance', Number(held), { account, wallet: name, currency });
    const pace = paceOf(account);
    if (pace === null) continue;
    const spending = spendingOf(ofAccount.get(account) ?? [], (batchId) => costs.get(batchId) ?? [], balance.readAt);
    for (const [currency, seconds] of lastsFor(balance, spending, pace))
      set('balance_lasts_seconds', seconds, { account, currency });
  }
}

async function lastBalance(db: Queryable, account: string): Promise<Balance | null> {
  const [read] = await balancesRead(db, account, 1);
  const text = read?.balance_after ?? read?.balance_before ?? null;
  return text === null ? null : (JSON.parse(text) as Balance);
}

/** What the open batches of an account still send, and what they were charged. */
interface Spending {
  toSend: number;
  /** Completed rows, whose costs are known. */
  paid: number;
  /** By currency of the wallet: all costs, and those since the balance was read. */
  costs: Map<string, { all: number; since: number }>;
}

function spendingOf(
  batches: readonly CountedBatch[],
  costsOf: (batchId: string) => readonly { currency: string; cost: string }[],
  readAt: number,
): Spending {
  const spending: Spending = { toSend: 0, paid: 0, costs: new Map() };
  for (const { batch_id, counts, started_at } of batches) {
    spending.toSend += counts.get('ready') ?? 0;
    spending.paid += counts.get('completed') ?? 0;
    for (const { currency, cost } of costsOf(batch_id)) {
      const known = spending.costs.get(currency) ?? { all: 0, since: 0 };
      known.all += Number(cost);
      // A batch reads the balance right before it starts.
      if ((started_at ?? 0) >= readAt) known.since += Number(cost);
      spending.costs.set(currency, known);
    }
  }
  return spending;
}

/**
 * For how long the money lasts at the present pace and the usual cost of a row, by currency; without the currencies
 * whose money suffices for all rows that are to be sent.
 */
function lastsFor({ wallets }: Balance, spending: Spending, { outlook }: StoredPace): [string, number][] {
  const { toSend, paid, costs } = spending;
  if (toSend === 0 || paid === 0) return [];
  return [...costs].flatMap(([currency, { all, since }]): [string, number][] => {
    const ofCurrency = wallets.filter((wallet) => wallet.currency === currency);
    const left = ofCurrency.reduce((sum, { balance }) => sum + Number(balance), 0) - since;
    const rows = Math.max(0, left) / (all / paid);
    if (rows >= toSend || ofCurrency.length === 0) return [];
    return [[currency, ((rows / outlook.perWindow) * outlook.windowMs) / 1_000]];
  });
}
