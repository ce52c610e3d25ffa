import { z } from 'zod';
import { isSameService } from '../../core/identity/service-name.ts';
import { addAmounts, compareAmounts, Sums, subtractAmounts } from '../../core/money/money.ts';
import type { BatchState } from '../../core/state/batch-state.ts';
import { isoOrNull } from '../../core/time/clock.ts';
import { forecast } from '../../engine/forecast/forecast.ts';
import { cycleMs, moneyEnd } from '../../engine/forecast/money-ahead.ts';
import { sendingOf } from '../../engine/forecast/sending.ts';
import { requestedNow } from '../../engine/plan/preflight.ts';
import { spentSince } from '../../ledger/accounts/gauges.ts';
import { latestBatches } from '../../ledger/batches/latest-batches.ts';
import { expectedCost } from '../../reports/sentences/expected-cost.ts';
import type { OpenAccount } from '../../runtime/accounts/account.ts';
import type { Session } from '../../runtime/session/session.ts';
import { paceAhead } from '../../runtime/upkeep/plan-batch.ts';
import { balanceJson } from '../base/balance-json.ts';
import { accountName, balance, sums, time } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { ask } from './ask-service.ts';

/** The most batches that are added up. */
const batchesMax = 500;

const sentStates: readonly BatchState[] = ['approved', 'running'];
const waitingStates: readonly BatchState[] = ['paused', 'awaiting_approval'];

const currencyForecast = z.strictObject({
  currency: z.string(),
  /** What the active wallets in this currency hold. */
  balance: z.string(),
  /** The expected cost of the rows that are being sent or are about to be. */
  queued: z.string(),
  /** The expected cost of the rows of batches that are paused or wait for approval. */
  waiting: z.string(),
  /** What is missing to pay all of these; null if nothing is. */
  missing: z.string().nullable(),
  /** What the batches of the last 30 days were charged. */
  spent: z.string(),
  /** When the money runs out; null if it lasts for a year, or if that is unknown. */
  runs_out_at: time.nullable(),
  /**
   * What uses the money up: the rows that are being sent, or payouts like those of the last 30 days. Null if it lasts
   * for a year. With `queue` and no time, it is unknown when the rows are sent.
   */
  runs_out_by: z.enum(['queue', 'usual_spending']).nullable(),
});

/** Forecasts when the wallets of an account will be empty. It reads the balance from the service. */
export const forecastMoney = defineOperation({
  name: 'forecast-money',
  role: 'audit',
  ledger: 'change',
  input: z.strictObject({ account: accountName }),
  result: z.strictObject({
    account: accountName,
    balance,
    currencies: z.array(currencyForecast),
    /** Sums to pay whose cost is unknown: the account has not paid in these currencies lately. */
    unknown: sums,
    /** Rows to send that buy a product: their cost is in no sum. */
    products: z.int(),
  }),
  run: ({ withAccount, session }, input) =>
    withAccount(input.account, async (opened) => {
      const { balance: read } = await ask(opened, 'balance', () => opened.gateway.balance());
      // Version 1 does not name the currency of its balances, so nothing can be compared with them.
      const wallets = read.wallets.filter(({ active, currency }) => active && currency !== '');
      const held = new Sums();
      for (const { currency, balance: left } of wallets) held.add(currency, left);
      const needs = await needsOf(session, opened, wallets);
      const currencies = await forecasts(session, opened, { held: held.toObject(), needs });
      const unknown = new Sums();
      for (const need of needs) for (const [currency, sum] of Object.entries(need.unknown)) unknown.add(currency, sum);
      const products = needs.reduce((sum, need) => sum + need.products, 0);
      return { account: opened.name, balance: balanceJson(read), currencies, unknown: unknown.toObject(), products };
    }),
});

/** What one batch still needs. */
interface Need {
  batch: string;
  isSent: boolean;
  /** By the currency of the wallets. */
  cost: Readonly<Record<string, string>>;
  unknown: Readonly<Record<string, string>>;
  products: number;
}

/** What the batches of an account still need that are sent, paused, or wait for approval. */
export async function needsOf(
  { db }: Session,
  { name: account, service }: OpenAccount,
  wallets: readonly { currency: string }[],
): Promise<Need[]> {
  const states = [...sentStates, ...waitingStates];
  const batches = await latestBatches(db, { accounts: [account], states, before: null, limit: batchesMax });
  const needs: Need[] = [];
  for (const { batch_id, status, service: ofBatch } of batches.filter((one) => isSameService(one.service, service))) {
    const { sums: asked, products } = await requestedNow(db, batch_id);
    const expected = await expectedCost(db, { account, service: ofBatch }, asked);
    const [cost, unknown] = [new Sums(), new Sums()];
    for (const [currency, sum] of Object.entries(expected.cost)) cost.add(currency, sum);
    // Without a rate, an amount costs a wallet in its own currency at most itself.
    for (const currency of expected.unknown)
      (wallets.some((wallet) => wallet.currency === currency) ? cost : unknown).add(currency, asked[currency] ?? '0');
    const isSent = sentStates.includes(status);
    needs.push({ batch: batch_id, isSent, cost: cost.toObject(), unknown: unknown.toObject(), products });
  }
  return needs;
}

async function forecasts(
  session: Session,
  opened: OpenAccount,
  { held, needs }: { held: Readonly<Record<string, string>>; needs: readonly Need[] },
): Promise<z.output<typeof currencyForecast>[]> {
  const { db, clock } = session;
  const now = clock.now();
  const sent = forecast(await sendingOf(db, opened.name), await paceAhead(session, opened), now);
  const past = await spentSince(db, opened.name, now - cycleMs);
  return Object.entries(held).map(([currency, left]) => {
    const costs = needs.map(({ batch, isSent, cost }) => ({ batch, isSent, cost: cost[currency] ?? '0' }));
    const [queued, waiting] = [true, false].map((which) => total(costs.filter(({ isSent }) => isSent === which)));
    const spent = past.filter((one) => one.currency === currency);
    const queue = costs
      .filter(({ isSent }) => isSent)
      .map(({ batch, cost }) => ({ cost, sentAt: sentAtOf(sent.get(batch)?.sentMs, now) }));
    const end = moneyEnd({ balance: left, queue, spent }, now);
    const missing = subtractAmounts(addAmounts(queued ?? '0', waiting ?? '0'), left);
    return {
      ...{ currency, balance: left, queued: queued ?? '0', waiting: waiting ?? '0' },
      missing: compareAmounts(missing, '0') > 0 ? missing : null,
      spent: total(spent),
      runs_out_at: isoOrNull(end.at),
      runs_out_by: end.by,
    };
  });
}

function sentAtOf(sentMs: number | undefined, now: number): number | null {
  return sentMs === undefined ? null : now + sentMs;
}

function total(costs: readonly { cost: string }[]): string {
  return costs.reduce((sum, { cost }) => addAmounts(sum, cost), '0');
}
