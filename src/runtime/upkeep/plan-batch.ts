import type { PaceAhead } from '../../engine/forecast/forecast.ts';
import { longThrottle, makeAccountThrottle } from '../../engine/pacing/account-throttle.ts';
import { skippedWhileThrottled } from '../../engine/pacing/request-with-retry-after.ts';
import { type Preflight, type PreflightService, preflight } from '../../engine/plan/preflight.ts';
import type { BalanceOutcome } from '../../gateway/contract/gateway.ts';
import { storedPace } from '../../ledger/accounts/pace.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { OpenAccount } from '../accounts/account.ts';
import { credentialsRefused } from '../accounts/credentials-refused.ts';
import { applyStoredThrottle, logThrottle } from '../accounts/throttled-requests.ts';
import type { Session } from '../session/session.ts';

/** What to do once credentials are correct that the service refused before anything was sent. */
export const askAgain = 'run the file again: nothing was sent';

/**
 * Reads the balance and computes the batch's plan. Throws `CREDENTIALS_REJECTED`, because nothing of the batch could be
 * sent. If the service throttles the account, the balance is unknown, and the account sends and asks nothing until the
 * throttle ends.
 */
export async function planOf(session: Session, account: OpenAccount, batch: BatchRecord): Promise<Preflight> {
  const { limiter, gateway } = account;
  const { balance, isThrottled } = await balanceNow(session, account);
  if (!isThrottled) await requireList(account, askAgain);
  const { sameNumberSpacingMs } = gateway.policy;
  const service = { sendsTexts: gateway.sendsTexts, sameNumberSpacingMs, priceOf: pricesBy(account, !isThrottled) };
  const now = session.clock.now();
  const pace = await paceAhead(session, account);
  return preflight(session.db, batch, balance, { ...limiter.usage('creation'), ...service, pace, now });
}

/** How fast the account sends now, or would send. */
export async function paceAhead({ db, clock }: Session, { name, limiter }: OpenAccount): Promise<PaceAhead> {
  const { outlook } = limiter.usage('creation');
  // The process that sends for the account knows who else uses it and whether the service is reachable.
  const stored = await storedPace(db, name, clock.now());
  return stored ?? { outlook, spaced: {}, gate: { throttle: null, unreachableSince: null } };
}

/**
 * Reads the balance, unless the service throttles the account. If the answer throttles it, the account sends and asks
 * nothing until the throttle ends. Throws `CREDENTIALS_REJECTED`.
 */
export async function balanceNow(
  session: Session,
  account: OpenAccount,
): Promise<{ balance: BalanceOutcome; isThrottled: boolean }> {
  const { limiter } = account;
  const { clock } = session;
  await applyStoredThrottle(account, session);
  const until = longThrottle({ limiter, clock }, 'balance');
  if (until !== null) return { balance: skippedWhileThrottled(until - clock.now()), isThrottled: true };
  const balance = await balanceOf(account, askAgain);
  if (balance.kind === 'throttled')
    logThrottle(account, session, makeAccountThrottle({ limiter, clock }).hold('balance', balance.retryAfterMs).wait);
  return { balance, isThrottled: balance.kind === 'throttled' };
}

/**
 * Reads one entry of the service's list. A key that may create payments but not read them would send many before the
 * first lookup. Throws `CREDENTIALS_REJECTED`, with `next` for what to do once the key has the permission. Any other
 * answer says nothing about the key.
 */
async function requireList(account: OpenAccount, next: string): Promise<void> {
  const { list } = account.gateway;
  if (list === null) return;
  const query = { page: 1, perPage: 1, fromMs: null, toMs: null };
  const page = await account.limiter.admit('read', () => list(query));
  if (page.kind === 'account_blocked')
    throw credentialsRefused(account, page.evidence, next, 'airtime.transactions.read');
}

/** Reads the balance. Throws `CREDENTIALS_REJECTED`, with `next` for what to do once the credentials are correct. */
export async function balanceOf(
  account: Pick<OpenAccount, 'name' | 'credentialsFrom' | 'limiter' | 'gateway'>,
  next: string,
): Promise<BalanceOutcome> {
  const balance = await account.limiter.admit('balance', () => account.gateway.balance());
  if (balance.kind === 'account_blocked') throw credentialsRefused(account, balance.evidence, next, 'wallets.read');
  return balance;
}

/** The prices in the catalog. Version 1 names no currency, so it has no price that can be added up. */
function pricesBy({ catalog }: OpenAccount, mayAsk: boolean): PreflightService['priceOf'] {
  let isReached = mayAsk;
  return async ({ network_id, product_id }) => {
    // A catalog that did not answer once is not asked about every network of the file.
    if (network_id === null || !isReached) return null;
    const products = await catalog.products(network_id);
    isReached = products !== null;
    const price = products?.find(({ productId }) => productId === product_id)?.amount ?? null;
    return price === null || price.currency === '' ? null : price;
  };
}
