import { z } from 'zod';
import { compareAmounts, currencyDecimals, sumsOf } from '../../core/money/money.ts';
import { amountsByCurrency } from '../../core/money/money-shapes.ts';
import { batchPolicy } from '../../core/state/batch-policy.ts';
import { isoOrNull } from '../../core/time/clock.ts';
import { forecast } from '../../engine/forecast/forecast.ts';
import { type Sending, sendingOf } from '../../engine/forecast/sending.ts';
import { approvalNeeded } from '../../engine/plan/approval.ts';
import { intakeSettings } from '../../intake/columns/settings.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { recentCosts } from '../../ledger/rows/costs.ts';
import { expectedCost } from '../../reports/sentences/expected-cost.ts';
import type { OpenAccount } from '../../runtime/accounts/account.ts';
import type { Session } from '../../runtime/session/session.ts';
import { paceAhead } from '../../runtime/upkeep/plan-batch.ts';
import { accountName, isRehearsal, sums, time } from '../base/fields.ts';
import { walletMoney, walletsAfter } from '../base/money-needs.ts';
import { defineOperation } from '../base/operation.ts';
import { ask } from './ask-service.ts';

/** Twice as many as the largest batch that airbatch is designed for. */
const rowsMax = 20_000_000;

/** A guard of the configuration that would reject the file. */
const exceeded = z.strictObject({
  guard: z.enum(['rows_max', 'batch_max']),
  currency: z.string().nullable(),
  most: z.string(),
  asked: z.string(),
});

/** What a payout of so many rows would take: time, money, approvals. Nothing is stored or sent. */
export const planPayout = defineOperation({
  name: 'plan-payout',
  role: 'prepare',
  ledger: 'change',
  input: z.strictObject({
    rows: z.int().min(1).max(rowsMax),
    account: accountName.optional(),
    /** What the rows ask for together. If it is left out: the average amount of recent rows, times `rows`. */
    sums: amountsByCurrency.optional(),
  }),
  result: z.strictObject({
    account: accountName,
    service: z.string(),
    is_rehearsal: isRehearsal,
    rows: z.int(),
    sums,
    /** From how many paid rows the sums were derived; null if they were given. */
    usual_of_rows: z.int().nullable(),
    /** The service's limit: `rows` in `window_ms`; null: it has none. */
    limit: z.strictObject({ rows: z.int().nullable(), window_ms: z.int() }),
    /** The least time in which an account with nothing else to do sends these rows. */
    alone_ms: z.number(),
    /** Rows of other batches that are being sent or about to be. */
    rows_waiting: z.int(),
    /** When all rows would have ended if the payout began now; null if it is unknown when the account sends again. */
    done_at: time.nullable(),
    wallets: z.array(walletMoney),
    /** Currencies of `sums` whose cost is unknown: the account has not paid in them lately. */
    cost_unknown: z.array(z.string()),
    /** How many people besides the submitter must approve, and why; null if nobody must. */
    approval: z.strictObject({ approvers: z.int(), why: z.string() }).nullable(),
    exceeded: z.array(exceeded),
  }),
  run: ({ session, withAccount }, { rows, account, sums: given }) =>
    withAccount(account, async (opened) => {
      const { db, config } = session;
      const usual = given === undefined ? await usualSums(db, opened, rows) : null;
      const asked = given ?? usual?.sums ?? {};
      const { limit, windowMs } = opened.limiter.usage('creation');
      const approval = approvalNeeded(batchPolicy(config.policy), { toSend: rows, products: 0, sums: asked });
      return {
        ...{ account: opened.name, service: opened.service, is_rehearsal: opened.isSandbox, rows, sums: asked },
        usual_of_rows: usual?.rows ?? null,
        limit: { rows: Number.isFinite(limit) ? limit : null, window_ms: windowMs },
        alone_ms: Math.floor((rows - 1) / limit) * windowMs,
        ...(await timeOf(session, opened, rows)),
        ...(await moneyOf(session, opened, asked)),
        approval,
        exceeded: exceededBy(rows, asked, config.intake),
      };
    }),
});

/**
 * The average of the latest payments of the account, times `rows`, by the currency of the recipients. It is an
 * estimate, for which binary numbers are exact enough.
 */
async function usualSums(
  db: Queryable,
  { name: account, service }: OpenAccount,
  rows: number,
): Promise<{ rows: number; sums: Record<string, string> }> {
  const recent = await recentCosts(db, { account, service });
  const share = rows / Math.max(1, recent.length);
  const scaled = Object.entries(sumsOf(recent)).map(([currency, sum]) => [
    currency,
    (Number(sum) * share).toFixed(currencyDecimals(currency) ?? 2),
  ]);
  return { rows: recent.length, sums: Object.fromEntries(scaled) };
}

/** When the rows would have ended behind what the account has to send. */
async function timeOf(session: Session, opened: OpenAccount, rows: number) {
  const now = session.clock.now();
  const sending = await sendingOf(session.db, opened.name);
  const own: Sending = {
    batch: '',
    priority: 'normal',
    finish_by: null,
    boosted_at: null,
    ready: rows,
    firstAlone: false,
  };
  const found = forecast([...sending, own], await paceAhead(session, opened), now).get('');
  const rows_waiting = sending.reduce((sum, { ready }) => sum + ready, 0);
  return { rows_waiting, done_at: isoOrNull(found === undefined ? null : now + found.doneMs) };
}

async function moneyOf(session: Session, opened: OpenAccount, asked: Readonly<Record<string, string>>) {
  const { name: account, service } = opened;
  const { balance } = await ask(session, opened, 'balance', () => opened.gateway.balance());
  const { cost, unknown } = await expectedCost(session.db, { account, service }, asked);
  return { wallets: await walletsAfter(session, opened, { balance, cost, batch: null }), cost_unknown: unknown };
}

function exceededBy(
  rows: number,
  asked: Readonly<Record<string, string>>,
  intake: Readonly<Record<string, unknown>>,
): z.output<typeof exceeded>[] {
  const { guards } = intakeSettings(intake);
  const sumsOver = Object.entries(asked).flatMap(([currency, sum]) => {
    const most = guards.batchMax[currency];
    return most !== undefined && compareAmounts(sum, most) > 0
      ? [{ guard: 'batch_max' as const, currency, most, asked: sum }]
      : [];
  });
  if (rows <= guards.rowsMax) return sumsOver;
  const over = { guard: 'rows_max' as const, currency: null, most: String(guards.rowsMax), asked: String(rows) };
  return [over, ...sumsOver];
}
