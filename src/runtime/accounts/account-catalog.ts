import type { Log } from '../../core/text/log.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { ThrottleWait } from '../../core/time/throttle-wait.ts';
import { requestWithRetryAfter } from '../../engine/pacing/request-with-retry-after.ts';
import type { CatalogOutcome, Evidence, Gateway, Product } from '../../gateway/contract/gateway.ts';
import type { Catalog } from '../../intake/rows/network-catalog.ts';
import { accountLog } from '../logging/log.ts';
import { logThrottle, type ThrottledAccount } from './throttled-requests.ts';

/**
 * How long an answer of the catalog is kept. An inbox of a thousand files then asks for its networks only a few times,
 * at 120 requests a minute. In that time, this process does not see what the service adds.
 */
export const catalogKeptMs = 5 * 60_000;

/** The catalog that intake uses, with the prices of products. */
export interface AccountCatalog extends Catalog {
  products(networkId: number): Promise<readonly Product[] | null>;
  /** The service's first answer that refused the account's credentials; null if it has not refused them. */
  refusal(): Evidence | null;
  /** The service's last answer that was no catalog, or why there was no answer; null if no read failed like that. */
  unusable(): Evidence | null;
}

/**
 * The catalog of an account's service, under the catalog's own rate limit. It keeps answers for a while, for this
 * account alone. It does not keep failures; a request to wait for a quarter of an hour or more counts as one.
 */
export function accountCatalog(
  account: ThrottledAccount & { gateway: Pick<Gateway, 'networks' | 'products'> },
  deps: { clock: Pick<Clock, 'now' | 'monotonic'>; log: Log },
): AccountCatalog {
  const { limiter, gateway } = account;
  const { clock } = deps;
  let refusal: Evidence | null = null;
  let unusable: Evidence | null = null;
  const asking = { limiter, clock, onWait: (throttle: ThrottleWait) => logThrottle(account, deps, throttle) };
  const kept = <Key, Item>(read: (key: Key) => Promise<CatalogOutcome<Item>>) => {
    const answers = new Map<Key, { items: Item[]; until: number }>();
    return async (key: Key): Promise<Item[] | null> => {
      const known = answers.get(key);
      if (known && clock.monotonic() < known.until) return known.items;
      const outcome = await requestWithRetryAfter(asking, 'catalog', () => read(key));
      if (outcome.kind === 'account_blocked' && refusal === null) {
        refusal = outcome.evidence;
        const { code, message, requestId } = refusal;
        accountLog(deps.log, account.name).warn('the service does not let the account read its networks and products', {
          code,
          said: message,
          request_id: requestId,
        });
      }
      if (outcome.kind === 'unavailable') unusable = outcome.evidence;
      if (outcome.kind !== 'items') return null;
      answers.set(key, { items: outcome.items, until: clock.monotonic() + catalogKeptMs });
      return outcome.items;
    };
  };
  const networks = kept((country: string) => gateway.networks({ country }));
  return {
    async networks(country) {
      // V1 returns the networks of all countries and does not say to which country each belongs.
      const found = await networks(country);
      return found?.filter(({ countryCode }) => countryCode === '' || countryCode === country) ?? null;
    },
    products: kept((networkId: number) => gateway.products({ networkId })),
    refusal: () => refusal,
    unusable: () => unusable,
  };
}
