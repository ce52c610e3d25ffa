import { z } from 'zod';
import { addAmounts, sumOf } from '../../core/money/money.ts';
import { isoOrNull } from '../../core/time/clock.ts';
import { forecast } from '../../engine/forecast/forecast.ts';
import { cycleMs, moneyEnd } from '../../engine/forecast/money-ahead.ts';
import { sendingOf } from '../../engine/forecast/sending.ts';
import { spentSince } from '../../ledger/accounts/gauges.ts';
import type { OpenAccount } from '../../runtime/accounts/account.ts';
import type { Session } from '../../runtime/session/session.ts';
import { paceAhead } from '../../runtime/upkeep/plan-batch.ts';
import { balanceJson } from '../base/balance-json.ts';
import { accountName, balance, sums, time } from '../base/fields.ts';
import { comparedCurrencies, heldIn, missingFrom, type Need, needsOf } from '../base/money-needs.ts';
import { defineOperation } from '../base/operation.ts';
import { ask } from './ask-service.ts';

const currencyForecast = z.strictObject({
  currency: z.string(),
  /** What the active wallets in this currency hold; 0 if there is none. */
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
  input: z.strictObject({ account: accountName.optional() }),
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
      const { balance: read } = await ask(session, opened, 'balance', () => opened.gateway.balance());
      const held = heldIn(read);
      const needs = await needsOf(session, opened, held);
      const currencies = await forecasts(session, opened, { held, needs });
      const unknown = sumOf(needs.map((need) => need.unknown));
      const products = needs.reduce((sum, need) => sum + need.products, 0);
      return { account: opened.name, balance: balanceJson(read), currencies, unknown, products };
    }),
});

async function forecasts(
  session: Session,
  opened: OpenAccount,
  { held, needs }: { held: Readonly<Record<string, string>>; needs: readonly Need[] },
): Promise<z.output<typeof currencyForecast>[]> {
  const { db, clock } = session;
  const now = clock.now();
  const sent = forecast(await sendingOf(db, opened.name), await paceAhead(session, opened), now);
  const past = await spentSince(db, opened.name, now - cycleMs);
  const used = needs.map(({ cost }) => cost);
  return comparedCurrencies(held, used).map((currency) => {
    const left = held[currency] ?? '0';
    const costs = needs.map(({ batch, isSent, cost }) => ({ batch, isSent, cost: cost[currency] ?? '0' }));
    const queued = total(costs.filter(({ isSent }) => isSent));
    const waiting = total(costs.filter(({ isSent }) => !isSent));
    const spent = past.filter((one) => one.currency === currency);
    const queue = costs
      .filter(({ isSent }) => isSent)
      .map(({ batch, cost }) => ({ cost, sentAt: sentAtOf(sent.get(batch)?.sentMs, now) }));
    const end = moneyEnd({ balance: left, queue, spent }, now);
    return {
      ...{ currency, balance: left, queued, waiting },
      missing: missingFrom(left, addAmounts(queued, waiting)),
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
