import type { PaceAhead } from '../../engine/forecast/forecast.ts';
import { type Preflight, type PreflightService, preflight } from '../../engine/plan/preflight.ts';
import type { BalanceOutcome } from '../../gateway/contract/gateway.ts';
import { storedPace } from '../../ledger/accounts/pace.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { OpenAccount } from '../accounts/account.ts';
import { credentialsRefused } from '../accounts/credentials-refused.ts';
import { askOnce } from '../accounts/throttled-requests.ts';
import type { Session } from '../session/session.ts';

/** What to do once credentials are correct that the service refused before anything was sent. */
export const askAgain = 'try again: nothing was sent';

/**
 * Reads the balance and computes the batch's plan. Throws `CREDENTIALS_REJECTED`, because nothing of the batch could be
 * sent. If the service throttles the account, the balance is unknown, and the account sends and asks nothing until the
 * throttle ends.
 */
export async function planOf(session: Session, account: OpenAccount, batch: BatchRecord): Promise<Preflight> {
  const { limiter, gateway } = account;
  const balance = await balanceNow(session, account);
  const isThrottled = balance.kind === 'throttled';
  if (!isThrottled) await requireList(session, account);
  const { sameNumberSpacingMs } = gateway.policy;
  const service = { sendsTexts: gateway.sendsTexts, sameNumberSpacingMs, ...catalogOf(account, !isThrottled) };
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
 * Reads the balance, as `askOnce` does. Throws `CREDENTIALS_REJECTED`, with `next` for what to do once they are
 * correct.
 */
export async function balanceNow(session: Session, account: OpenAccount, next = askAgain): Promise<BalanceOutcome> {
  const balance = await askOnce(account, session, 'balance', () => account.gateway.balance());
  if (balance.kind === 'account_blocked') throw credentialsRefused(account, balance.evidence, next, 'wallets.read');
  return balance;
}

/**
 * Reads one entry of the service's list. A key that may create payments but not read them would send many before the
 * first lookup. Throws `CREDENTIALS_REJECTED`. Any other answer says nothing about the key.
 */
async function requireList(session: Session, account: OpenAccount): Promise<void> {
  const { list } = account.gateway;
  if (list === null) return;
  const query = { page: 1, perPage: 1, fromMs: null, toMs: null };
  const page = await askOnce(account, session, 'read', () => list(query));
  if (page.kind === 'account_blocked')
    throw credentialsRefused(account, page.evidence, askAgain, 'airtime.transactions.read');
}

/**
 * Prices and names in the catalog. Version 1 names no currency, so it has no price that can be added up. A catalog that
 * did not answer once is not asked about every network of the file.
 */
function catalogOf({ catalog }: OpenAccount, mayAsk: boolean): Pick<PreflightService, 'priceOf' | 'networkName'> {
  let isReached = mayAsk;
  return {
    async priceOf({ network_id, product_id }) {
      if (network_id === null || !isReached) return null;
      const products = await catalog.products(network_id);
      isReached = products !== null;
      const price = products?.find(({ productId }) => productId === product_id)?.amount ?? null;
      return price === null || price.currency === '' ? null : price;
    },
    async networkName({ networkId: wanted, country }) {
      if (wanted === null || country === null || !isReached) return '';
      const networks = await catalog.networks(country);
      isReached = networks !== null;
      return networks?.find(({ networkId }) => networkId === wanted)?.name ?? '';
    },
  };
}
